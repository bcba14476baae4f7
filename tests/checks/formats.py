# SPDX-License-Identifier: MIT
"""Holds the output that formats.sh collected to the rules of each format: formats.py DIR SCHEMA

The schema is read by a checker of the few words of JSON Schema that it uses, so that nothing has to
be installed for it.
"""
import json
import re
import sys
from pathlib import Path

TYPES = {"object": dict, "array": list, "string": str, "integer": int, "boolean": bool}
KNOWN = {"$schema", "$id", "title", "description", "type", "properties", "required", "items",
         "additionalProperties", "minimum", "pattern"}


def violations(value, schema, where="$"):
    assert set(schema) <= KNOWN, f"the schema uses {set(schema) - KNOWN}, which is not known here"
    kind = schema.get("type")
    if kind and (not isinstance(value, TYPES[kind]) or (kind == "integer" and value is True)):
        return [f"{where}: not of type {kind}"]
    found = []
    if "minimum" in schema and value < schema["minimum"]:
        found.append(f"{where}: {value} is less than {schema['minimum']}")
    if "pattern" in schema and not re.search(schema["pattern"], value):
        found.append(f"{where}: {value!r} does not match {schema['pattern']}")
    if isinstance(value, list):
        for i, item in enumerate(value):
            found += violations(item, schema.get("items", {}), f"{where}[{i}]")
    if isinstance(value, dict):
        known = schema.get("properties", {})
        rest = schema.get("additionalProperties", {})
        found += [f"{where}: lacks {name}" for name in schema.get("required", []) if name not in value]
        for name, item in value.items():
            if name in known:
                found += violations(item, known[name], f"{where}.{name}")
            elif rest is False:
                found.append(f"{where}: {name} is not in the schema")
            else:
                found += violations(item, rest, f"{where}.{name}")
    return found


def check_json(text, schema):
    names = re.findall(r"^UC_STAT\(\w+, (\w+)", Path("preload/stats.def").read_text(), re.M)
    for line in text.splitlines():
        document = json.loads(line)
        yield from violations(document, schema)
        if list(document["stats"]) != names:
            yield "the stats are not those of stats.def, in its order"


NAME = r"[a-zA-Z_:][a-zA-Z0-9_:]*"
LABEL = r'[a-zA-Z_][a-zA-Z0-9_]*="(?:[^"\\\n]|\\["\\n])*"'


def check_prometheus(text):
    """The text format's grammar, and what promtool's lint asks for."""
    helped, typed, seen = set(), {}, set()
    if not text.endswith("\n"):
        yield "no newline at the end"
    for line in text.splitlines():
        if match := re.fullmatch(rf"# HELP ({NAME}) (.+)", line):
            if match[1] in helped:
                yield f"second HELP of {match[1]}"
            helped.add(match[1])
        elif match := re.fullmatch(rf"# TYPE ({NAME}) (counter|gauge)", line):
            if match[1] in typed:
                yield f"second TYPE of {match[1]}"
            typed[match[1]] = match[2]
            if (match[2] == "counter") != match[1].endswith("_total"):
                yield f"{match[1]}: counters, and they alone, end with _total"
            if re.search(r"_(counter|gauge|histogram|summary)(_|$)", match[1]):
                yield f"{match[1]}: a type in the name"
        elif match := re.fullmatch(rf"({NAME})\{{({LABEL}(?:,{LABEL})*)\}} \d+(?:\.\d+)?", line):
            if match[1] not in typed or match[1] not in helped:
                yield f"{match[1]} before its HELP and TYPE"
            if (match[1], match[2]) in seen:
                yield f"{match[1]}{{{match[2]}}} twice"
            seen.add((match[1], match[2]))
        else:
            yield f"not a line of the format: {line!r}"


def main():
    folder, schema = Path(sys.argv[1]), json.loads(Path(sys.argv[2]).read_text())
    read = {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}
    problems = []
    for name in ("text", "page", "hotpage", "watched", "list", "doctor"):
        text = read[name].decode(errors="replace")
        problems += [f"{name}: {len(line)} columns: {line}" for line in text.splitlines()
                     if len(line) > 80]
        problems += [f"{name}: a control character: {line!r}" for line in text.split("\n")
                     if re.search(r"[\x00-\x1f\x7f]", line)]
    problems += [f"json: {p}" for p in check_json(read["json"].decode(), schema)]
    for name in ("stat.prometheus", "hot.prometheus"):
        problems += [f"{name}: {p}" for p in check_prometheus(read[name].decode())]
    # Two dumps in one file: each by itself.
    halves = read["prometheus"].decode().split("# HELP uncontend_info ")
    for half in halves[1:]:
        problems += [f"prometheus: {p}" for p in check_prometheus("# HELP uncontend_info " + half)]
    if len(halves) != 4:
        problems.append(f"{len(halves) - 1} dumps for Prometheus, expected 3")
    for problem in problems:
        print(problem, file=sys.stderr)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
