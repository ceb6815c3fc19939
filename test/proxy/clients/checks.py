"""The Python client against running proxies; python.test.ts starts them and puts their addresses in the environment."""

import os
import tempfile
import time
import unittest
from pathlib import Path
from unittest import skipUnless

import requests

import malaria_risk
from malaria_risk import MalariaRisk
from malaria_risk.client import _has

ENV = os.environ
GATEWAY = ENV["GATEWAY"]


def client(url=ENV["URL"], key=ENV["KEY"], **options):
    return MalariaRisk(url, key, **{"records": True, "timeout": 20, **options})


class Reading(unittest.TestCase):
    def test_nation_series_and_tables_take_one_request_each(self):
        reader = client()
        periods = reader.periods()
        for read, rows in (
            (reader.risk, 4),
            (reader.forecasts, 16),
            (lambda: reader.risk(periods["last_estimated"], state="AB"), 2),
            (lambda: reader.forecasts(2, state="AB"), 4),
            (reader.places, 4),
        ):
            before = reader.requests
            found = read()
            self.assertEqual((len(found), reader.requests - before), (rows, 1))
            self.assertIn("lga_code", found[0])
        self.assertEqual(reader.model_version, periods["model_version"])
        by_lga, by_state = reader.series(lga="NG001001"), reader.series(state="AB")
        self.assertEqual(by_lga[-1]["period"], periods["last_forecast"])
        self.assertEqual(len(by_lga), len(by_state))
        whole = reader.table("risk_lgas")
        self.assertEqual(len(whole), 4 * (len(by_lga) - 4))
        self.assertIsInstance(whole[0]["score"], float)
        self.assertIsInstance(whole[0]["is_urban"], bool)
        self.assertIn("risk_lgas", [table["table"] for table in reader.tables()])
        self.assertEqual([f["properties"]["lga_code"] for f in reader.boundaries()["features"]][0], "NG001001")
        self.assertEqual(len(reader.boundaries("states")["features"]), 2)

    @skipUnless(_has("pandas"), "no pandas")
    def test_data_frames(self):
        reader = client(records=False)
        rows, frame = client().table("risk_lgas"), reader.table("risk_lgas")
        self.assertEqual(list(frame.columns), list(rows[0]))
        self.assertEqual(frame.to_dict("records"), rows)
        self.assertEqual(reader.risk().shape[0], 4)
        matched, unmatched = reader.match(reader.places()[["state", "lga"]])
        self.assertEqual((list(matched["lga_code"]), len(unmatched)), (list(reader.places()["lga_code"]), 0))
        self.assertEqual(list(unmatched.columns), ["state", "lga", "why"])
        missing = MalariaRisk(GATEWAY + "/na", "k").table("x")
        self.assertEqual(list(missing["lga_code"]), ["007", "008"])
        self.assertEqual((missing["state_code"][0], missing["lga"][1]), ("NA", "NA"))
        self.assertTrue(missing["score"].isna()[0])

    @skipUnless(_has("geopandas"), "no geopandas")
    def test_outlines_are_a_geo_data_frame(self):
        outlines = client(records=False).boundaries()
        self.assertEqual((outlines.shape[0], outlines.crs.to_epsg()), (4, 4326))
        self.assertLessEqual({"lga_code", "lga", "state_code", "geometry"}, set(outlines.columns))

    def test_nasarawas_code_is_not_missing(self):
        rows = client(GATEWAY + "/na").table("x")
        self.assertEqual(rows[0], {"lga_code": "007", "state_code": "NA", "lga": "Obi", "score": None})

    def test_download(self):
        with tempfile.TemporaryDirectory() as folder:
            file = client().download("risk_lgas", Path(folder) / "risk.parquet")
            self.assertEqual(file.read_bytes()[:4], b"PAR1")
            with self.assertRaises(requests.RequestException):
                client(GATEWAY + "/short").download("x", Path(folder) / "x.csv", "csv")
            self.assertEqual(os.listdir(folder), ["risk.parquet"])

    def test_a_truncated_answer_is_an_error(self):
        with self.assertRaises(requests.RequestException):
            client(GATEWAY + "/short").table("x")


class Matching(unittest.TestCase):
    def test_by_state_and_name(self):
        rows = [
            {"state": "Nasarawa State", "lga": "OBI"},
            {"state": "NA", "lga": "obi "},
            {"state": "benue", "lga": "Ado Ekiti"},
            {"state": "Benue", "lga": "igumale"},
            {"state": "Benue", "lga": "Gboko"},
            {"state": "Utopia", "lga": "Obi"},
            {"state": float("nan"), "lga": "Obi"},
        ]
        matched, unmatched = client(GATEWAY + "/places").match(rows)
        self.assertEqual([row["lga_code"] for row in matched], ["NG026011"] * 2 + ["NG007003"] * 2)
        self.assertEqual(
            [row["why"].split(";")[0] for row in unmatched],
            ["no areas of BE are named 'Gboko'", "no upper-level area is named 'Utopia'", "state is empty"],
        )

    def test_by_name_alone_a_repeated_name_matches_nothing(self):
        matched, unmatched = client(GATEWAY + "/places").match([{"lga": "Obi"}, {"lga": "Ado-Ekiti"}], state=None)
        self.assertEqual([row["lga_code"] for row in matched], ["NG007003"])
        self.assertIn("BE, NA: give state too", unmatched[0]["why"])

    def test_by_code(self):
        matched, unmatched = client(GATEWAY + "/places").match([{"c": "NG007015"}, {"c": "NG999"}], code="c")
        self.assertEqual((matched[0]["state_code"], unmatched[0]["c"]), ("BE", "NG999"))


class Errors(unittest.TestCase):
    def fails(self, kind, code, work):
        with self.assertRaises(kind) as caught:
            work()
        self.assertEqual(caught.exception.code, code)
        return caught.exception

    def test_key(self):
        error = self.fails(malaria_risk.InvalidKey, "INVALID_KEY", client(key="wrong").periods)
        self.assertEqual(error.status, 401)
        for part in (error.title, error.detail, error.request_id):
            self.assertTrue(part)
        self.assertNotIn("wrong", str(error))

    def test_scope(self):
        limited = client(key=ENV["KEY_FORECASTS"])
        self.assertEqual(len(limited.forecasts(1)), 4)
        self.assertEqual(self.fails(malaria_risk.ScopeRequired, "SCOPE_REQUIRED", limited.risk).status, 403)

    def test_bad_values(self):
        reader = client()
        for code, work in (
            ("UNKNOWN_STATE", lambda: reader.risk(state="ab")),
            ("UNKNOWN_LGA", lambda: reader.series(lga="NG1&lga=NG001001")),
            ("INVALID_PERIOD", lambda: reader.risk("2021-13")),
            ("PERIOD_NOT_AVAILABLE", lambda: reader.risk("1990-01")),
            ("INVALID_MONTHS", lambda: reader.forecasts(5)),
            ("NOT_FOUND", lambda: reader.table("nothing")),
        ):
            self.fails(malaria_risk.ServiceError, code, work)
        for work in (
            lambda: reader.series(),
            lambda: reader.boundaries("wards"),
            lambda: client(key=" "),
            lambda: client("ftp://x"),
        ):
            self.assertRaises(ValueError, work)

    def test_key_from_the_environment(self):
        os.environ["MALARIA_API_KEY"] = ENV["KEY"] + "\n"
        try:
            self.assertIn("model_version", MalariaRisk(ENV["URL"]).periods())
        finally:
            del os.environ["MALARIA_API_KEY"]

    def test_answers_of_other_servers(self):
        self.fails(malaria_risk.Unavailable, "HTTP_502", client(GATEWAY + "/html").periods)
        self.fails(malaria_risk.ServiceError, "HTTP_302", client(GATEWAY + "/moved").periods)


class Waiting(unittest.TestCase):
    def at_once(self, kind, work):
        start = time.monotonic()
        self.assertRaises(kind, work)
        self.assertLess(time.monotonic() - start, 5)

    def test_a_short_wait_is_waited_for(self):
        for fault in ("/limited-once", "/busy-once"):
            start = time.monotonic()
            self.assertIn("model_version", client(GATEWAY + fault).periods())
            self.assertGreaterEqual(time.monotonic() - start, 1)

    def test_a_long_wait_raises_at_once(self):
        for fault in ("/limited-long", "/overflow", "/negative"):
            self.at_once(malaria_risk.RateLimited, client(GATEWAY + fault).periods)

    def test_repeated_waits_of_zero_seconds_end(self):
        self.assertRaises(malaria_risk.RateLimited, client(GATEWAY + "/zeros", max_wait=2).periods)

    def test_the_minute_limit_of_the_proxy(self):
        limited = client(ENV["MINUTE_URL"], ENV["MINUTE_KEY"], max_wait=1)
        limited.periods()
        self.at_once(malaria_risk.RateLimited, limited.periods)

    def test_a_spent_allowance_raises_at_once(self):
        spent = client(ENV["SPENT_URL"], ENV["SPENT_KEY"], max_wait=1e9)
        spent.periods()
        self.at_once(malaria_risk.AllowanceExhausted, spent.periods)
        self.at_once(malaria_risk.AllowanceExhausted, client(GATEWAY + "/spent-short").periods)


class Caching(unittest.TestCase):
    def test_unchanged_answers_are_not_sent_again(self):
        with client(GATEWAY + "/pass") as reader:
            self.assertEqual(reader.risk(), reader.risk())

    def test_on_disk(self):
        with tempfile.TemporaryDirectory() as folder:
            first = client(cache_dir=folder).risk()
            [file] = Path(folder).iterdir()
            head, _, body = file.read_bytes().partition(b"\n")
            self.assertNotIn(ENV["KEY"].encode(), head + body)
            later = client(cache_dir=folder)
            self.assertEqual(later.risk(), first)
            # A damaged file in the cache is fetched again.
            file.write_bytes(head + b"\n" + body[:-9])
            self.assertEqual(client(cache_dir=folder).risk(), first)
            # The cache does not replace a key.
            self.assertRaises(malaria_risk.InvalidKey, client(key="wrong", cache_dir=folder).risk)

    def test_a_kept_version_continues_to_be_read(self):
        reader = client(GATEWAY + "/kept")
        version = reader.periods()["model_version"]
        self.assertGreater(len(reader.risk()), 0)
        self.assertEqual(reader.periods()["model_version"], version)
        self.assertEqual(reader.get("/v1/versions")["current"], version)
        self.assertGreater(len(reader.table("risk_lgas")), 0)
        self.assertEqual((reader.model_version, reader.requests), (version, 6))

    def test_a_new_version_is_an_error(self):
        reader = client(GATEWAY + "/next-version")
        reader.periods()
        with self.assertRaises(malaria_risk.VersionChanged) as caught:
            reader.risk()
        self.assertEqual(caught.exception.found, "another-version")
        # The same if only the version has changed.
        self.assertRaises(malaria_risk.VersionChanged, reader.periods)
        reader.restart()
        reader.risk()
        self.assertEqual(reader.model_version, "another-version")
        self.assertRaises(malaria_risk.VersionChanged, client(model_version="earlier").periods)


if __name__ == "__main__":
    unittest.main()
