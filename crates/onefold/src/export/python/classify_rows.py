

def classify_row(row):
    """The class of a row of the table, an index into CLASS_NAMES."""
    return classify(encode_row(row))


def classify_rows(rows):
    """The classes of rows of the table, indices into CLASS_NAMES."""
    return classify(np.array([encode_row(row) for row in rows], np.float64).reshape(-1, len(INPUT_NAMES)))
