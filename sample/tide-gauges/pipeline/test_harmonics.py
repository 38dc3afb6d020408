import math
import unittest

from pipeline.harmonics import SPEED, fit, predict, rayleigh_days


class Harmonics(unittest.TestCase):
    def test_a_pure_tide_is_found_again(self) -> None:
        hours = [float(hour) for hour in range(30 * 24)]
        levels = [2.05 * math.cos(math.radians(SPEED["M2"] * hour)) for hour in hours]
        model = fit(hours, levels, ["M2", "S2"])
        self.assertAlmostEqual(model.amplitude("M2"), 2.05, places=6)
        self.assertAlmostEqual(predict(model, [5.0])[0], levels[5], places=6)

    def test_s2_and_k2_need_half_a_year(self) -> None:
        self.assertAlmostEqual(rayleigh_days("S2", "K2"), 182.6, places=1)


if __name__ == "__main__":
    unittest.main()
