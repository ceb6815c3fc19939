"""The Python client against running proxies; python.test.ts starts them and puts their addresses in the environment."""

import os
import tempfile
import time
import unittest
import unittest.mock

import pandas
import requests

from malaria_risk import MalariaRisk

ENV = os.environ


def client(url=ENV["URL"], key=ENV["KEY"], **options):
    return MalariaRisk(url, key, **options)


def faulty(fault):
    """A client whose first request is that for data."""
    return client(f"{ENV['GATEWAY']}/{fault}", model_version="v")


class Reading(unittest.TestCase):
    def test_answers_and_tables(self):
        reader = client()
        periods = reader.get("/v1/periods").json()
        self.assertEqual(reader.model_version, periods["model_version"])
        self.assertEqual(len(reader.get("/v1/risk/lgas", state="AB").json()["lgas"]), 2)
        series = reader.get("/v1/series/lgas", lga="NG001001").json()["series"]
        whole = reader.table("risk_lgas")
        self.assertEqual(len(whole), 4 * (len(series) - 4))
        self.assertEqual([str(whole[name].dtype) for name in ("score", "is_urban", "lga_code")], ["float64", "bool", "object"])

    def test_columns_have_the_types_that_the_service_lists_and_NA_is_a_code(self):
        table = faulty("na").table("x")
        self.assertEqual(list(table["lga_code"]), ["007", "008"])
        self.assertEqual(list(table["state_code"]) + list(table["lga"]), ["NA", "BE", "Ado-Ékiti", "NA"])
        self.assertEqual(list(table["round"]), ["01", "02"])
        self.assertEqual(list(table["score"].isna()), [True, False])

    def test_a_map_has_every_area_with_its_scores(self):
        reader = client()
        areas = reader.map("2021-11")
        self.assertEqual((areas.shape[0], areas.crs.to_epsg()), (4, 4326))
        scores = {row["lga_code"]: row["score"] for row in reader.get("/v1/risk/nation", period="2021-11").json()["lgas"]}
        self.assertEqual(dict(zip(areas["lga_code"], areas["score"])), scores)
        self.assertEqual(set(areas["period"]), {"2021-11"})

    def test_a_truncated_answer_is_an_error(self):
        self.assertRaises(requests.RequestException, faulty("short").table, "x")

    def test_every_answer_is_of_one_version(self):
        reader = client(ENV["GATEWAY"] + "/pass")
        reader.get("/v1/places")
        self.assertEqual(reader.get("/v1/versions").json()["current"], reader.model_version)
        self.assertEqual(client(model_version=reader.model_version).table("places").shape[0], 6)


class Codes(unittest.TestCase):
    def test_by_state_and_name(self):
        rows = pandas.DataFrame(
            [
                ("NA", "OBI"),
                ("nasarawa", "obi "),
                ("NG007", "Ado Ekiti"),
                ("Benue", "igumale"),
                ("Benue", "Gboko"),
                ("Benue", "Agatu"),
                ("Utopia", "Obi"),
                (None, "Obi"),
                (float("nan"), "Obi"),
            ],
            columns=["state", "lga"],
        )
        found = faulty("places").with_codes(rows)["lga_code"]
        self.assertEqual(list(found[:4]), ["NG026011"] * 2 + ["NG007003"] * 2)
        self.assertTrue(found[4:].isna().all())


class Errors(unittest.TestCase):
    def fails(self, status, code, work):
        with self.assertRaises(requests.HTTPError) as caught:
            work()
        self.assertEqual(caught.exception.response.status_code, status)
        self.assertIn(code, str(caught.exception))
        return caught.exception

    def test_key(self):
        error = self.fails(401, "INVALID_KEY", lambda: client(key="wrong"))
        self.assertIn(error.response.json()["request_id"], str(error))
        self.assertNotIn("wrong", str(error))
        os.environ["MALARIA_API_KEY"] = ENV["KEY"] + "\n"
        try:
            self.assertTrue(MalariaRisk(ENV["URL"]).model_version)
        finally:
            del os.environ["MALARIA_API_KEY"]
        self.assertRaises(KeyError, MalariaRisk, ENV["URL"])

    def test_an_entry_in_netrc_does_not_replace_the_key(self):
        with tempfile.NamedTemporaryFile("w") as file, unittest.mock.patch.dict(os.environ, NETRC=file.name):
            print("machine 127.0.0.1 login somebody password secret", file=file, flush=True)
            self.assertTrue(client().model_version)

    def test_what_the_service_refuses(self):
        reader = client()
        forecasts_only = client(key=ENV["KEY_FORECASTS"])
        self.fails(403, "SCOPE_REQUIRED", lambda: forecasts_only.get("/v1/risk/nation"))
        self.fails(404, "UNKNOWN_LGA", lambda: reader.get("/v1/series/lgas", lga="NG1&lga=NG001001"))
        self.fails(404, "NOT_FOUND", lambda: reader.table("nothing"))
        self.fails(404, "UNKNOWN_VERSION", lambda: client(model_version="tiny-1-00000000").get("/v1/places"))

    def test_answers_of_other_servers(self):
        self.fails(502, "did not come from the service", lambda: faulty("html").table("x"))
        self.fails(302, "did not come from the service", lambda: faulty("moved").table("x"))


class Waiting(unittest.TestCase):
    def test_a_short_wait_is_waited_for(self):
        for fault in ("/limited-once", "/busy-once"):
            start = time.monotonic()
            self.assertTrue(client(ENV["GATEWAY"] + fault).model_version)
            self.assertGreaterEqual(time.monotonic() - start, 1)

    def test_a_long_wait_and_a_spent_allowance_raise_at_once(self):
        spent = client(ENV["SPENT_URL"], ENV["SPENT_KEY"])
        start = time.monotonic()
        for reader, code in ((faulty("limited-long"), "RATE_LIMITED"), (spent, "ALLOWANCE_EXHAUSTED")):
            with self.assertRaisesRegex(requests.HTTPError, code):
                reader.get("/v1/places")
        self.assertLess(time.monotonic() - start, 5)

    def test_repeated_waits_of_zero_seconds_end(self):
        self.assertRaises(requests.HTTPError, faulty("zeros").table, "x")


if __name__ == "__main__":
    unittest.main()
