"""A table of your own with words and gaps: the library's reader encodes them, in training and afterwards."""

import numpy as np
import pandas as pd
from onefold import OnefoldRegressor

rng = np.random.default_rng(1)
rows = 300
flats = pd.DataFrame(
    {
        "area": rng.uniform(20, 150, rows).round(),
        "district": rng.choice(["north", "old town", "harbour"], rows),
        "balcony": rng.uniform(size=rows) < 0.4,
        "year": rng.integers(1900, 2025, rows).astype(float),
    }
)
rent = (
    8 * flats["area"] ** 0.9
    + 150 * (flats["district"] == "old town")
    + 60 * flats["balcony"]
    + rng.normal(0, 20, rows)
)
flats.loc[::20, "year"] = np.nan

regressor = OnefoldRegressor(effort=1, random_state=1).fit(flats, rent)
print(f"network {regressor.topology_}, explained {regressor.score(flats, rent):.1%}")
print("inputs", ", ".join(regressor.model_.input_names))

offers = pd.DataFrame(
    {
        "area": [60, 60],
        "district": ["old town", "a new district"],
        "balcony": [True, False],
        "year": [1950, np.nan],
    }
)
print("predicted rents", regressor.predict(offers).round())
