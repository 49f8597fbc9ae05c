"""A first fit: a network for Fisher's irises, selected by a race, with its scores and a drawing."""

from pathlib import Path

from onefold import OnefoldClassifier
from sklearn.datasets import load_iris
from sklearn.model_selection import train_test_split

data = load_iris(as_frame=True)
names = data.target_names[data.target]
X, X_test, y, y_test = train_test_split(data.data, names, stratify=names, random_state=1)

# Without `effort` the selection takes some seconds more.
classifier = OnefoldClassifier(effort=1, random_state=1).fit(X, y)

columns = ["topology", "decay", "score", "note"]
print(classifier.selection_.query("note in ('chosen', 'best', 'larger')")[columns].to_string(index=False))
print(f"selected {classifier.topology_} with decay {classifier.decay_:g}")
print(f"correct on test rows: {classifier.score(X_test, y_test):.1%}")
print(classifier.model_.draw())
Path("iris.svg").write_text(classifier.model_.to_svg())
