"""Times the work of `cargo xtask bench kernel` in the reference library, where it is installed.

Prints one `name<TAB>seconds` line a piece of work. Run it with a Python that has `corollary`.
"""

import statistics
import sys
import time

from corollary import BeliefBase, Verifier, parse_response
from corollary.formula import evaluate


def median(work, runs, prepare=lambda: None):
    times = []
    for _ in range(runs):
        state = prepare()
        start = time.perf_counter()
        work(state)
        times.append(time.perf_counter() - start)
    return statistics.median(times)


def report(name, seconds):
    print(f"{name}\t{seconds:.9f}", flush=True)


def fan(count):
    base = BeliefBase()
    base.assert_("root", 1, source="human:user")
    for n in range(count):
        base.justify(f"leaf{n}", n, antecedents=["root"], source="model:m")
    return base


def chain(count):
    base = BeliefBase()
    base.assert_("link0", 0, source="human:user")
    for n in range(1, count):
        base.justify(f"link{n}", n, antecedents=[f"link{n - 1}"], source="model:m")
    return base


def retract_and_restore(key):
    def work(base):
        base.retract(key)
        base.restore(key)

    return work


def local_change(size):
    base = fan(size)
    base.assert_("alone", 1, source="human:user")
    base.justify("above", 2, antecedents=["alone"], source="model:m")

    def work(_):
        base.retract("alone")
        base.restore("alone")

    return median(work, 21)


def main():
    count = 10_000
    report("build 10,000 justifications", median(lambda _: fan(count), 3))
    report("retract and restore a fan of 10,000", median(retract_and_restore("root"), 3, lambda: fan(count)))
    report("retract and restore a chain of 10,000", median(retract_and_restore("link0"), 3, lambda: chain(count)))
    for size in (1_000, 10_000, 100_000):
        report(f"one local change in {size:,}", local_change(size))
    text = "The company reports steady demand across regions. " * 200_000
    text += "Total revenue for Q2 was $4.3 billion."
    base = BeliefBase()
    base.add_document("filing", text)
    quote = "Total revenue for Q2 was $4.3 billion"
    report(
        "a quote in 10 MB",
        median(lambda n: base.cite("revenue", 4_300_000_000, document="filing", quote=quote), 3),
    )
    values = {"q2": 4.3e9, "q3": 4.5e9}
    formula = "({q3} - {q2}) / {q2} * 100"
    report("a formula", median(lambda _: [evaluate(formula, values) for _ in range(1_000)], 5) / 1_000)
    response = (
        '{"actions": [{"type": "claim", "key": "growth", "value": 4.65, "claim": "grew",'
        ' "follows_from": ["q2", "q3"], "formula": "({q3} - {q2}) / {q2} * 100"}]}'
    )
    report("a response", median(lambda _: [parse_response(response) for _ in range(1_000)], 5) / 1_000)
    steps = BeliefBase()
    steps.assert_("q2", 4.3e9, source="human:user")
    steps.assert_("q3", 4.5e9, source="human:user")
    refs = []
    for n in range(1_000):
        steps.justify(
            f"growth{n}",
            (4.5e9 - 4.3e9) / 4.3e9 * 100 + n,
            antecedents=["q2", "q3"],
            source="model:m",
            formula=f"({{q3}} - {{q2}}) / {{q2}} * 100 + {n}",
        )
        refs.append(f"growth{n}")
    report("verify 1,000 formula steps", median(lambda _: Verifier().verify(steps.proof(*refs), kb=steps), 3))


if __name__ == "__main__":
    sys.exit(main())
