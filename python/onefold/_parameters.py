"""Documentation of the parameters and attributes of both estimators."""

PARAMETERS = """
    Parameters
    ----------
    hidden : "auto", int, str or tuple, default="auto"
        The hidden layers: ``8``, ``"8-8"``, ``(8, 8)``, ``"8+linear"`` with a linear part, ``"none"``. With
        ``"auto"`` a race between candidates selects them, with the constant answer and the linear model among
        them.
    decay : float, optional
        L2 penalty on all weights. Default: selected by cross-validation.
    method : str, default="auto"
        One of ``onefold.methods()``, for the final training.
    metric : str, optional
        What networks are compared by in the selection{metrics}.
    prefer : {{"size", "accuracy"}}, default="size"
        Whether the smallest network that is no worse than the best is selected, or the best one.
{more}    time_limit : float, optional
        Seconds for the whole fit, four fifths of them for the selection (half with more than 20,000 rows).
        Without it the effort is counted and not timed, so that the same seed gives the same network on any
        machine.
    effort : float, optional
        Effort of the selection, about seconds on one core, but counted. Default 10 to 50, by the size of the
        table; 4 if only the decay is selected.
    n_jobs : int, default=-1
        Threads, -1 for one on each core. The result does not depend on it.
    random_state : int, RandomState instance or None, default=None
        The seed, the same as that of the command `onefold fit --seed`.
    options : dict, optional
        Further options of the library, such as ``{{"population": 50}}`` or ``{{"target": 1e-3}}``, for frames
        with words or missing values also those of the reader, such as ``{{"missing": "refuse"}}``.
    executor : executor, callable or str, optional
        What does the fits of the selection, as for `run_campaign`; by default `n_jobs` threads of this
        process. The network does not depend on it. Copies of an estimator share it, and it is not pickled.
    verbose : int, default=0
        Whether progress is shown on standard error.

    Attributes
    ----------
    model_ : Model
        The trained network.
    topology_ : str
        Its layers, as in ``"4-3-3"``.
    decay_ : float
        Its L2 penalty.
    history_ : ndarray of shape (improvements, 3)
        Generation, evaluations and cost whenever the cost of the final training became lower.
    optima_ : list of dict
        The distinct local optima of the final training, up to symmetry: `cost`, and how often it was `found`.
    selection_ : DataFrame, list of dict or None
        The networks that were tried, a frame where pandas is installed; None if nothing was selected.
    report_ : dict
        How the final training ended.
    n_features_in_ : int
        Number of inputs.
    feature_names_in_ : ndarray of str
        Names of the inputs, where X has some.
"""

CLASS_WEIGHT = """    class_weight : dict, "balanced" or None, default=None
        Weights of classes, factors of those of the rows: ``{"rare": 10}``, where others have weight 1, or
        ``"balanced"``, where all classes together count the same.
"""
