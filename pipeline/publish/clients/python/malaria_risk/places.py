"""Joins a caller's own table to the service's codes, by code or by the names of an area and its upper level."""

from __future__ import annotations

import re
import unicodedata
from typing import Any, Dict, List, Mapping, Optional, Sequence, Tuple

Row = Dict[str, Any]

#: Words that tables may add to the names of upper-level areas.
KINDS = ("State", "Province", "Region", "Department", "County", "District", "Division", "Governorate", "Prefecture")


def plain(name: Any) -> str:
    """A name in lower case without accents, spaces and punctuation: ``Saint-Élie`` and ``saint elie`` are the same."""
    if not isinstance(name, str):
        return ""
    letters = unicodedata.normalize("NFKD", name).casefold()
    return re.sub(r"[\W_]", "", "".join(letter for letter in letters if not unicodedata.combining(letter)))


def match(
    rows: Sequence[Mapping[str, Any]],
    places: Mapping[str, Sequence[Mapping[str, Any]]],
    lga: str,
    state: Optional[str],
    code: Optional[str],
) -> Tuple[List[Row], List[Row]]:
    """Matched rows with ``lga_code`` and ``state_code``, and rows that match no place or several, with ``why``."""
    known = {place["lga_code"]: place for place in places["lgas"]}
    states: Dict[str, str] = {}
    for one in places["states"]:
        own = (one["state_code"], one["state"], one["iso_code"], one["pcode"])
        longer = (f"{one['state']} {kind}" for kind in KINDS)
        # Snapshots from before contract 1.4 have no aliases.
        for name in (*longer, *one.get("aliases", ()), *own):
            if name:
                states[plain(name)] = one["state_code"]
    named: Dict[str, List[Mapping[str, Any]]] = {}
    for place in places["lgas"]:
        for name in {plain(place["lga"]), *map(plain, place.get("aliases", ()))}:
            named.setdefault(name, []).append(place)

    def find(row: Mapping[str, Any]) -> Tuple[Optional[Mapping[str, Any]], str]:
        if code is not None:
            return known.get(row[code]), f"no area has the code {row[code]!r}"
        found = named.get(plain(row[lga]), [])
        if state is None:
            in_states = ", ".join(place["state_code"] for place in found)
            several = f"{row[lga]!r} is the name of areas in {in_states}: give state too"
            return (found[0], "") if len(found) == 1 else (None, several if found else f"no area is named {row[lga]!r}")
        if not isinstance(row[state], str) or row[state] == "":
            return None, "state is empty; was the code NA read as a missing value? pandas: keep_default_na=False"
        state_code = states.get(plain(row[state]))
        if state_code is None:
            return None, f"no upper-level area is named {row[state]!r}"
        there = [place for place in found if place["state_code"] == state_code]
        if len(there) == 1:
            return there[0], ""
        return None, f"{len(there) or 'no'} areas of {state_code} are named {row[lga]!r}"

    matched: List[Row] = []
    unmatched: List[Row] = []
    for row in rows:
        place, why = find(row)
        if place is None:
            unmatched.append({**row, "why": why})
        else:
            matched.append({**row, "lga_code": place["lga_code"], "state_code": place["state_code"]})
    return matched, unmatched
