"""Writes the snapshots of this folder, with what the library `corollary` says of each.

Run it with `pip install corollary==0.1.0a4` at hand: `python generate.py`. The same version gives
the same files. `python generate.py judge FILE TIME [FILE TIME ...]` instead loads each snapshot as
of its time and prints a list of what the library says of them, as the `moments` of the files here
have it.
"""

import json
import pathlib
import random
import sys
import warnings
from datetime import datetime, timedelta, timezone

from corollary import BeliefBase, CorollaryError, Rule, Source, Status, TrustLedger

HERE = pathlib.Path(__file__).parent
START = datetime(2026, 1, 1, tzinfo=timezone.utc)
REPORT = (
    "ACME annual report. Total revenue for Q2 was $4.3 billion. Total revenue for Q3 was\n"
    "$4.5 billion, a gross margin of 41.2%. Headquarters: Austin, Texas."
)


class Clock:
    def __init__(self):
        self.now = START

    def __call__(self):
        return self.now

    def advance(self, seconds):
        self.now += timedelta(seconds=seconds)


def judge(snapshot, now):
    """What the library says of a snapshot that is loaded at a time."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        kb = BeliefBase.from_dict(snapshot, clock=lambda: now)
    beliefs = {}
    for belief in kb.beliefs(None):
        ref = belief.ref
        beliefs[ref] = {
            "status": kb.status(ref).value,
            "confidence": kb.confidence(ref),
            "why_out": kb.why_out(ref),
            "dependents": sorted(other.ref for other in kb.dependents(ref)),
        }
    sources = {j["source"]["kind"] + ":" + j["source"]["name"] for j in snapshot["justifications"]}
    return {
        "at": now.isoformat(),
        "beliefs": beliefs,
        "conflicts": sorted(kb.conflicted_keys()),
        "stale": sorted(belief.ref for belief in kb.stale()),
        "reliability": {name: kb.reliability(name) for name in sorted(sources)},
    }


def plain(kb, clock):
    kb.assert_("revenue:Q2", 4300000000, source=Source.tool("get_revenue", {"quarter": "Q2"}))
    kb.assert_("revenue:Q3", 4500000000.0, source="human:ann", claim="Q3 revenue")
    kb.justify(
        "growth",
        4.651162790697675,
        antecedents=["revenue:Q2", "revenue:Q3"],
        source="model:scripted",
        formula="({revenue:Q3} - {revenue:Q2}) / {revenue:Q2} * 100",
        claim="Revenue grew",
        confidence=0.8,
    )
    kb.justify("trend", "modest", antecedents=["growth"], source="model:scripted", confidence=0.7)


def every_detail(kb, clock):
    kb.add_document("10-K", REPORT)
    kb.add_document("empty", "")
    kb.register_rule(Rule("double", lambda x: x * 2, confidence=0.8))
    kb.assert_(
        "price",
        {"eur": 9.5, "list": [1, True, None, "é\u2028", 10**40]},
        source=Source.tool("quote", {"symbol": "X", "deep": {"a": [1.0]}}),
        claim="The price",
        confidence=0.9,
        ttl=timedelta(hours=1),
        half_life=timedelta(minutes=30),
        origin="exchange",
        metadata={"id": "r1", "n": [1, 2.0]},
    )
    clock.advance(0.25)
    kb.cite("revenue:Q2", 4300000000, document="10-K", quote="total revenue for Q2 was $4.3 billion")
    kb.cite("hq", "Austin", document="10-K", quote="Headquarters: Austin", check_value=False)
    kb.assume("holiday", False, by="planner")
    clock.advance(1)
    kb.derive("twice", "double", "revenue:Q2", unless=["veto"], claim="Twice it")
    kb.justify(
        "verdict",
        None,
        antecedents=["twice", "hq@1", "holiday"],
        source="model:scripted",
        confidence=0.6,
        unless=["veto", "bankrupt"],
        inputs=["twice", "hq"],
        note="said so twice",
        metadata={"step": 3},
    )
    kb.justify("alone", [], antecedents=[], source="model:other", confidence=0.5)


def repeats(kb, clock):
    kb.assert_("a", 1, source="tool:x", ttl=timedelta(seconds=10), confidence=0.5)
    clock.advance(1)
    kb.assert_("a", 1.0, source="human:h", claim="never kept")
    clock.advance(1)
    kb.assert_("a", 1, source="tool:x", ttl=timedelta(seconds=30), confidence=0.7)
    kb.assert_("b", "v", source="tool:x", ttl=timedelta(seconds=5))
    kb.justify("c", 2, antecedents=["a", "b"], source="model:m")
    clock.advance(6)
    kb.refresh()
    kb.assert_("b", "v", source="tool:y", ttl=timedelta(seconds=60))
    kb.assert_("b", "v", source=Source.tool("y", {"q": 1}), origin="feed")


def retractions(kb, clock):
    for key in "abcd":
        kb.assert_(key, key * 3, source=f"tool:{key}")
        clock.advance(1)
    kb.justify("e", 1, antecedents=["a", "b"], source="model:m")
    kb.justify("f", 2, antecedents=["e"], source="model:n", unless=["d"])
    kb.retract("a", reason="restated", fault="source")
    clock.advance(1)
    kb.retract("c")
    kb.restore("c")
    kb.assert_("b", "other", source="human:h", supersede=True)
    kb.retract("d", fault="source")
    kb.assert_("a", "new", source="document:memo")
    kb.justify("e", 1, antecedents=["a", "b"], source="model:m")


def disputes(kb, clock):
    kb.assert_("q", 1, source="tool:a")
    kb.assert_("r", 1, source="tool:b")
    kb.justify("s", 3, antecedents=["q", "r"], source="model:m")
    clock.advance(1)
    kb.assert_("q", 2, source="human:h")
    kb.assert_("t", "x", source="tool:a")
    kb.assert_("t", "y", source="tool:c")
    [conflict] = [c for c in kb.conflicts() if "t" in c.keys]
    kb.resolve(conflict, keep="t@2", reason="checked", learn=True)
    kb.record_outcome("tool:b", False, reason="audit")


def loops(kb, clock):
    kb.assert_("ground", 1, source="tool:a")
    kb.justify("x", 1, antecedents=["ground"], source="model:m", confidence=0.9)
    kb.justify("y", 1, antecedents=["x"], source="model:m", confidence=0.9)
    kb.justify("x", 1, antecedents=["y"], source="model:n")
    kb.justify("lone", 1, antecedents=["ground"], source="model:m")
    kb.justify("pair", 1, antecedents=["lone"], source="model:m")
    kb.justify("lone", 1, antecedents=["pair"], source="model:m")
    kb.assert_("other", 1, source="human:h")
    kb.justify("x", 1, antecedents=["other"], source="model:m", confidence=0.2)
    kb.retract("ground")


def fading_memory(kb, clock):
    for n in range(40):
        kb.record_outcome("tool:a", n % 3 != 0, reason=f"ticket {n}")
        kb.record_outcome("model:m", n % 5 != 0)
        clock.advance(3600)
    kb.assert_("a", 1, source="tool:a", half_life=timedelta(hours=8))
    kb.justify("b", 2, antecedents=["a"], source="model:m", confidence=0.75)


SCENARIOS = {
    "plain": plain,
    "every-detail": every_detail,
    "repeats": repeats,
    "retractions": retractions,
    "disputes": disputes,
    "loops": loops,
    "fading-memory": fading_memory,
}
LEDGERS = {
    "fading-memory": {"prior_weight": 4.5, "memory_half_life": timedelta(hours=5)},
    "retractions": {"prior_weight": 2.0},
}


def wander(kb, clock, seed):
    """A generated base: whatever operations the library accepts."""
    rng = random.Random(seed)
    keys = [f"k{n}" for n in range(rng.randint(4, 14))]
    names = ["tool:a", "tool:b", "human:h", "document:d", "model:m", "assumption:u"]
    values = [1, 2, 2.0, "x", True, None, [1, "y"], {"z": 0.5}]
    for _ in range(rng.randint(20, 90)):
        clock.advance(rng.choice([0, 0, 0.5, 1, 7, 60]))
        key = rng.choice(keys)
        try:
            roll = rng.random()
            if roll < 0.35:
                ttl = rng.choice([None, None, 5, 90, 4000])
                half_life = rng.choice([None, None, 30, 5000])
                kb.assert_(
                    key,
                    rng.choice(values),
                    source=rng.choice(names),
                    confidence=rng.choice([None, None, 0.3, 0.85, 1.0]),
                    ttl=None if ttl is None else timedelta(seconds=ttl),
                    half_life=None if half_life is None else timedelta(seconds=half_life),
                    origin=rng.choice([None, None, None, "wire"]),
                    supersede=rng.random() < 0.3,
                )
            elif roll < 0.7:
                believed = kb.keys(Status.IN)
                kb.justify(
                    key,
                    rng.choice(values),
                    antecedents=rng.sample(believed, min(len(believed), rng.randint(0, 3))),
                    source=rng.choice(["model:m", "model:n"]),
                    confidence=rng.choice([None, 0.2, 0.9]),
                    unless=rng.sample(keys, rng.choice([0, 0, 0, 1, 2])),
                )
            elif roll < 0.85:
                fault = rng.choice(["none", "source"])
                kb.retract(key, reason=rng.choice(["", "wrong"]), fault=fault)
            elif roll < 0.93:
                kb.restore(key)
            elif roll < 0.97:
                kb.record_outcome(rng.choice(names), rng.random() < 0.5)
            else:
                kb.refresh()
        except (CorollaryError, ValueError):
            pass


def write(name, build, ledger):
    clock = Clock()
    kb = BeliefBase(clock=clock, ledger=None if ledger is None else TrustLedger(**ledger))
    build(kb, clock)
    snapshot = kb.to_dict()
    if ledger is not None:
        # A ledger that was passed in is its owner's, and not part of the snapshot by itself.
        snapshot["ledger"] = kb.ledger.to_dict()
    snapshot = json.loads(json.dumps(snapshot))
    moments = [judge(snapshot, clock.now)]
    for seconds in (20, 4000):
        clock.advance(seconds)
        moments.append(judge(snapshot, clock.now))
    text = json.dumps({"snapshot": snapshot, "moments": moments}, sort_keys=True)
    (HERE / f"{name}.json").write_text(text + "\n", encoding="utf-8")


def main():
    if sys.argv[1:2] == ["judge"]:
        said = []
        for file, time in zip(sys.argv[2::2], sys.argv[3::2], strict=True):
            snapshot = json.loads(pathlib.Path(file).read_text(encoding="utf-8"))
            said.append(judge(snapshot, datetime.fromisoformat(time)))
        print(json.dumps(said))
        return
    for name, build in SCENARIOS.items():
        write(name, build, LEDGERS.get(name))
    for seed in range(12):
        write(f"wander-{seed:02}", lambda kb, clock: wander(kb, clock, seed), None)


if __name__ == "__main__":
    main()
