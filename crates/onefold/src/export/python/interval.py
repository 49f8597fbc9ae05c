

def interval(X):
    """The ends of prediction intervals for encoded inputs, one row or many: low and high, as `predict` has outputs."""
    outputs = predict(X)
    return outputs - HALF_WIDTHS, outputs + HALF_WIDTHS
