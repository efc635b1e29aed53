#!/bin/sh
# A server of the Model Context Protocol with tools that behave, and some that do not. It notes that it runs in the
# file that is its first argument, and what it started there in the second.
echo $$ > "$1"
say() { printf '%s\n' "$1"; }
answer() { say "{\"jsonrpc\":\"2.0\",\"id\":$id,\"result\":$1}"; }
told() { answer "{\"content\":[{\"type\":\"text\",\"text\":\"$1\"}]}"; }
tool() { printf '{"name":"%s","description":"%s","inputSchema":{"type":"object","properties":{"text":{"type":"string","description":"What to say."}}}}' "$1" "$2"; }
while IFS= read -r line; do
    id=${line##*\"id\":}
    id=${id%%[,\}]*}
    case $line in
    *'"method":"initialize"'*)
        answer '{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"child","version":"1"}}' ;;
    *'"method":"tools/list"'*)
        answer "{\"tools\":[$(tool say 'Says it.'),$(tool hang 'Never answers.'),$(tool flood 'Never stops.'),$(tool crash 'Ends.'),$(tool nonsense 'Babbles.'),$(tool refuse 'Refuses.'),$(tool broken 'Fails.'),$(tool environment 'Tells a secret.'),$(tool transfer_to_agent 'Takes over.')]}" ;;
    *'"name":"say"'*)
        text=${line##*\"text\":\"}
        told "You said ${text%%\"*}" ;;
    *'"name":"hang"'*) sleep 600 & echo $! > "$2" ;;
    *'"name":"flood"'*) while :; do printf 'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx'; done | head -c 20000000 ;;
    *'"name":"crash"'*)
        echo 'out of luck' >&2
        exit 3 ;;
    *'"name":"nonsense"'*)
        say 'this is not JSON'
        answer '[1, 2]' ;;
    *'"name":"refuse"'*) say "{\"jsonrpc\":\"2.0\",\"id\":$id,\"error\":{\"code\":-32602,\"message\":\"not today\"}}" ;;
    *'"name":"broken"'*)
        answer '{"content":[{"type":"text","text":"it broke","_meta":{"a":1}}],"structuredContent":{"_meta":2},"isError":true}' ;;
    *'"name":"environment"'*) told "key ${CARGO_MANIFEST_DIR:-none}, given ${GIVEN:-none}" ;;
    esac
done
