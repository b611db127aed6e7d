#!/bin/sh
# A whole job against a running service, with nothing but curl.
#
#   entail serve &
#   examples/revenue/run.sh            # or ENTAIL_URL=http://host:port, ENTAIL_KEY=…
#
# The model is scripted: turns/ holds what it says, mistakes included.
set -eu

here=$(dirname "$0")
url=${ENTAIL_URL:-http://127.0.0.1:8080}

say() { printf '\n== %s\n' "$*"; }

# call METHOD PATH [curl arguments…]: the body of the answer, or the problem and an end.
call() {
    method=$1 path=$2
    shift 2
    curl --silent --show-error --fail-with-body --request "$method" "$url$path" \
        ${ENTAIL_KEY:+--header "authorization: Bearer $ENTAIL_KEY"} "$@" ||
        { printf '\n%s %s failed\n' "$method" "$path" >&2; return 1; }
}

json='content-type: application/json'

# values NAME: every string of that name in the JSON that comes in, a line each.
values() { grep -o "\"$1\":\"\\(\\\\.\\|[^\"\\\\]\\)*\"" | sed "s/^\"$1\":\"//; s/\"\$//; s/\\\\\"/\"/g"; }

# turn TITLE FILE: take a context, as one would for a model, and post what the model makes of it.
# A turn that names no context is checked against the one handed out last.
turn() {
    say "$1"
    call POST "$session/context" --header "$json" --data '{}' > /dev/null
    answer=$(call POST "$session/turns" --header "$json" --data-binary "@$here/turns/$2.json")
    printf 'verdict: %s\n' "$(printf '%s' "$answer" | values verdict)"
    printf '%s' "$answer" | grep -o '"rejected":\[.*\],"turn"' | values message |
        sed 's/^/rejected: /' || true
}

say "Open a session with a tool, and register the filing"
opened=$(call POST /sessions --header "$json" --data-binary "@$here/open.json")
session=/sessions/$(printf '%s' "$opened" | values id)
printf 'session: %s\n' "$session"
call PUT "$session/documents/10-Q" --header 'content-type: text/plain; charset=utf-8' \
    --data-binary "@$here/filing.txt"
printf '\n'

say "Take a context: this is what a model would be shown"
call POST "$session/context" --header "$json" --data '{}' | values prompt | cut -c 1-160

turn "Turn 1: the model calls tools" 1-calls
say "The orchestrator runs them and posts what they gave"
ids=$(printf '%s' "$answer" | grep -o '"pending_calls":.*' | values call_id)
q2=$(printf '%s\n' "$ids" | sed -n 1p)
q3=$(printf '%s\n' "$ids" | sed -n 2p)
call POST "$session/tool-results" --header "$json" --data \
    "[{\"call_id\": \"$q2\", \"value\": 4300000000}, {\"call_id\": \"$q3\", \"value\": 4500000000}]"
printf '\n'

turn "Turn 2: three citations, one with a wrong figure, one misquoted" 2-citations
turn "Turn 3: corrected" 3-citations-corrected
turn "Turn 4: two formulas, one with a wrong result" 4-growth
turn "Turn 5: corrected" 5-growth-corrected
turn "Turn 6: the answer" 6-answer
printf '%s' "$answer" | values text

say "What the answer rests on"
call GET "$session/beliefs/answer/proof?format=text"

say "The report: every check really runs"
call GET "$session/report?format=text"

say "The figure for Q2 is restated: retract it, and everything that rested on it goes OUT"
call POST "$session/retractions" --header "$json" \
    --data '{"target": "revenue:Q2", "reason": "restated in the amended filing"}' |
    grep -o '{"reason":"\(\\.\|[^"\\]\)*","ref":"[^"]*","status":"[A-Z]*"}' |
    sed 's/{"reason":"\(.*\)","ref":"\(.*\)","status":"\(.*\)"}/\3  \2: \1/'

say "The report no longer vouches for the answer"
call GET "$session/report?format=text" | grep -e '^FAIL' -e '^ *error:' -e '^Does not hold'

say "The trace, and where it is kept"
call GET "$session/trace" | wc -l | sed 's/^ */records: /'
printf 'session: %s\n' "$session"
