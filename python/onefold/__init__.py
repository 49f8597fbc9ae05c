"""Small neural networks trained by global search, optimisers for any function, and symmetries of networks.

- `OnefoldRegressor` and `OnefoldClassifier` are estimators for scikit-learn, which they need.
- `fit` trains on a file, as the command `onefold fit` does.
- `minimize` finds the minimum of a function within bounds; `onefold.optimizers` has the same methods to ask
  and to tell.
- `onefold.symmetry` compares, aligns and averages networks up to the symmetries of their parameters.
- `fit_many` does many fits on this machine or on a cluster.
- `run_campaign` runs the trials of a campaign on this machine or on a cluster, `tune` finds the population
  of a cell; `RayExecutor` is an executor over Ray.
- `Model` is a trained network: it predicts, is saved and loaded, and is exported as ONNX, C, Rust,
  JavaScript or Python.
"""

from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from . import optimizers, symmetry
from ._campaign import CampaignResult, FailedTrial, run_campaign
from ._many import fit_many
from ._methods import methods
from ._minimize import minimize
from ._model import Model, load
from ._onefold import OnefoldError, version
from ._ray import RayExecutor
from ._table import fit
from ._tuning import TuningResult, tune
from ._warnings import InterruptedWarning, TableWarning

if TYPE_CHECKING:
    from ._estimators import OnefoldClassifier, OnefoldRegressor

__version__: str = version()

__all__ = [
    "CampaignResult",
    "FailedTrial",
    "InterruptedWarning",
    "Model",
    "OnefoldClassifier",
    "OnefoldError",
    "OnefoldRegressor",
    "RayExecutor",
    "TableWarning",
    "TuningResult",
    "fit",
    "fit_many",
    "load",
    "methods",
    "minimize",
    "optimizers",
    "run_campaign",
    "symmetry",
    "tune",
]


if find_spec("sklearn") is None:
    __all__ = [name for name in __all__ if not name.startswith("Onefold") or name == "OnefoldError"]


def __getattr__(name: str) -> Any:
    # Everything but the estimators works without scikit-learn, and starts without loading it.
    if name in ("OnefoldClassifier", "OnefoldRegressor"):
        try:
            from . import _estimators
        except ModuleNotFoundError as error:
            if error.name != "sklearn":
                raise
            raise ImportError(f"{name} needs scikit-learn: pip install scikit-learn") from None
        return getattr(_estimators, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*__all__, "__version__"])
