

def encode_row(row):
    """The inputs of a row of the table: a mapping from the names of its columns to their values.

    Numbers are numbers, all else is text as in the table; dates may be `datetime` objects, and yes and no
    bools. None, NaN and what stands for a missing value in the table are missing values.
    """
    inputs = []
    for name, read, missing, has_indicator in _COLUMNS:
        if name not in row:
            raise KeyError(f"the row has no column {name!r}")
        try:
            values = read(row[name])
        except (TypeError, ValueError) as e:
            raise type(e)(f"column {name!r}: {e}") from None
        is_missing = values is None
        if is_missing and missing is None:
            raise ValueError(f"column {name!r}: its value is missing, and the network has no answer to that")
        inputs += missing if is_missing else values
        if has_indicator:
            inputs.append(float(is_missing))
    return inputs


def predict_row(row):
    """The outputs for a row of the table, as `encode_row` takes it."""
    return predict(encode_row(row))


def predict_rows(rows):
    """The outputs for rows of the table, one line for each: an iterable of what `encode_row` takes."""
    return predict(np.array([encode_row(row) for row in rows], np.float64).reshape(-1, len(INPUT_NAMES)))
