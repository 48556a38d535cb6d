"""The calendar of certificates, read by another library."""

from __future__ import annotations

import json
from datetime import date, timedelta
from typing import Any

import httpx
from icalendar import Calendar
from service import Service


def parse(content: bytes) -> Any:
    """Read a calendar. Its properties have too many types to name."""
    return Calendar.from_ical(content)


def test_the_calendar_of_an_address_is_the_ends_of_the_list(service: Service) -> None:
    issued = json.loads(service.certdata("keys", "issue", "local", "--calendar", "--name", "Sales", "--json"))
    answer = httpx.get(issued["address"])
    assert answer.status_code == 200
    assert answer.headers["content-type"] == "text/calendar; charset=utf-8"
    calendar = parse(answer.content)
    assert not calendar.errors
    assert str(calendar["X-WR-CALNAME"]) == "Certificates of local"

    login = httpx.post(f"{service.url}/v1/auth/login", json={"api_key": service.api_key}).json()
    headers = {"authorization": f"Bearer {login['access_token']}"}
    listed = httpx.get(f"{service.url}/v1/certificates?limit=500", headers=headers).json()["data"]
    ends = {each["number"]: date.fromisoformat(each["valid_until"]) for each in listed if each["valid_until"]}
    events = calendar.walk("VEVENT")
    assert ends
    assert len(events) == len(ends)
    for event in events:
        assert not event.errors
        number = next(number for number in ends if number in str(event["SUMMARY"]))
        start, end = event["DTSTART"].dt, event["DTEND"].dt
        assert type(start) is date, "a whole day"
        assert start == ends[number]
        assert end == start + timedelta(days=1)
        assert event["DTSTAMP"].dt.tzinfo is not None
    assert len({str(event["UID"]) for event in events}) == len(events)

    known = {"if-none-match": answer.headers["etag"]}
    assert httpx.get(issued["address"], headers=known).status_code == 304
    token = httpx.get(f"{service.url}/v1/certificates?format=ics", headers=headers)
    assert parse(token.content).walk("VEVENT") == events, "the same for a token"


def test_a_calendar_without_an_end_is_valid(service: Service) -> None:
    issued = json.loads(service.certdata("keys", "issue", "local", "--calendar", "--json"))
    answer = httpx.get(f"{issued['address']}?number=none")
    calendar = parse(answer.content)
    assert not calendar.walk("VEVENT")
    assert calendar.subcomponents, "RFC 5545 requires a component"
