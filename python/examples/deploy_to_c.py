"""From a table to a C program: the trained network as one header without dependencies."""

import shutil
import subprocess
import tempfile
from pathlib import Path

import numpy as np
from onefold import OnefoldClassifier
from sklearn.datasets import load_wine

X, y = load_wine(return_X_y=True)
classifier = OnefoldClassifier(2, decay=1e-3, random_state=1).fit(X, y)

folder = Path(tempfile.mkdtemp())
rounding = classifier.export(folder / "wine.h")
print(
    f"wine.h has {(folder / 'wine.h').stat().st_size} bytes; "
    f"single precision changes outputs by up to {rounding:.0e}"
)

program = """
#include <stdio.h>
#include "wine.h"
int main(void) {
    float in[13];
    while (1) {
        for (int i = 0; i < 13; i++) if (scanf("%f", &in[i]) != 1) return 0;
        printf("%d\\n", wine_classify(in));
    }
}
"""
(folder / "main.c").write_text(program)
compiler = shutil.which("cc")
if compiler is None:
    print("there is no C compiler here")
else:
    subprocess.run([compiler, "-O2", "-o", folder / "wine", folder / "main.c", "-lm"], check=True)
    text = "\n".join(" ".join(map(str, row)) for row in X.tolist())
    answer = subprocess.run([folder / "wine"], input=text, capture_output=True, text=True, check=True)
    classes = np.array(answer.stdout.split(), dtype=int)
    print(f"the program and Python agree on {(classes == classifier.predict(X)).sum()} of {len(X)} rows")
