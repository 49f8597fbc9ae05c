

def interval_row(row):
    """The ends of the prediction interval for a row of the table: low and high."""
    return interval(encode_row(row))


def interval_rows(rows):
    """The ends of prediction intervals for rows of the table: low and high, one line for each row."""
    return interval(np.array([encode_row(row) for row in rows], np.float64).reshape(-1, len(INPUT_NAMES)))
