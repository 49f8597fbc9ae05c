//! Trained models.

use crate::convert::{array_of_rows, dataset, from_json, to_json};
use crate::errors::{exception, invalid};
use numpy::{PyArray2, PyArrayMethods, PyReadonlyArray2};
use onefold::data::TableRow;
use onefold::export::ExportSettings;
use onefold::files::DataFile;
use onefold::inspection::{dependence, importance};
use onefold::{Dataset, Error, RowSettings, TableRows};
use onefold_report::{About, Rows, model_page};
use pyo3::types::PyBytes;
use pyo3::{Bound, PyResult, Python, pyclass, pymethods};
use std::path::PathBuf;

/// A trained model, see `onefold.Model`.
#[pyclass(module = "onefold._onefold", frozen)]
pub(crate) struct Model {
    pub(crate) model: onefold::Model,
}

/// Rows with words that training did not have.
#[derive(Default)]
struct Unknown {
    rows: usize,
    /// The first one from 0, its column and the word.
    first: Option<(u64, String, String)>,
}

impl Unknown {
    fn count(&mut self, row: &TableRow) {
        if let Some((column, word)) = row.unknown.first() {
            self.rows += 1;
            // Below a line of names.
            self.first.get_or_insert_with(|| (row.line.saturating_sub(2), column.clone(), word.clone()));
        }
    }

    fn message(self) -> Option<String> {
        let (row, column, word) = self.first?;
        let rows = if self.rows == 1 { "1 row has".into() } else { format!("{} rows have", self.rows) };
        Some(format!(
            "{rows} words that training did not, the first in row {row}: {word:?} in column {column}; the average \
             of the training rows stands for them"
        ))
    }
}

impl Model {
    /// Rows of inputs and targets of the model.
    fn rows(
        &self,
        inputs: &PyReadonlyArray2<'_, f64>,
        outputs: &PyReadonlyArray2<'_, f64>,
    ) -> PyResult<Dataset> {
        let model = &self.model;
        let names = (model.input_names().to_vec(), model.output_names().to_vec());
        let data = dataset(inputs, outputs, names, model.is_classification());
        let (columns, targets) = (data.inputs.len(), data.outputs.len());
        if (columns, targets) != (model.topology().inputs(), model.topology().outputs()) {
            return Err(invalid(format!(
                "there are {columns} columns of inputs and {targets} of targets, but the model is {}",
                model.topology()
            )));
        }
        Ok(data)
    }
}

#[pymethods]
impl Model {
    /// Loads a model file.
    #[staticmethod]
    fn load(py: Python<'_>, path: PathBuf) -> PyResult<Self> {
        let model = py.detach(|| onefold::Model::load(&path)).map_err(|e| exception(&e))?;
        Ok(Self { model })
    }

    /// Reads the text of a model file.
    #[staticmethod]
    fn from_json(py: Python<'_>, text: &str) -> PyResult<Self> {
        let model = py.detach(|| onefold::Model::from_json(text)).map_err(invalid)?;
        Ok(Self { model })
    }

    /// Saves a model file.
    fn save(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        py.detach(|| self.model.save(&path)).map_err(|e| exception(&e))
    }

    /// The text of the model file.
    fn to_json(&self) -> String {
        self.model.to_json()
    }

    /// The outputs for rows of inputs.
    fn predict<'py>(
        &self,
        py: Python<'py>,
        inputs: PyReadonlyArray2<'py, f64>,
    ) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let expected = self.model.topology().inputs();
        let rows = inputs.as_array();
        if rows.ncols() != expected {
            return Err(invalid(format!(
                "X has {} columns, but the model has {expected} inputs: {}",
                rows.ncols(),
                self.model.input_names().join(", ")
            )));
        }
        let values = py.detach(|| {
            let (mut values, mut row) = (Vec::with_capacity(rows.nrows()), Vec::new());
            for inputs in rows.rows() {
                row.clear();
                row.extend(inputs.iter().copied());
                values.extend(self.model.predict(&row));
            }
            values
        });
        array_of_rows(py, values, self.model.topology().outputs())
    }

    /// The inputs of the rows of a table with a first line of names, encoded as in training, and what is to be
    /// said about them: which words training did not have.
    fn encode<'py>(
        &self,
        py: Python<'py>,
        text: &[u8],
    ) -> PyResult<(Bound<'py, PyArray2<f64>>, Option<String>)> {
        let mut unknown = Unknown::default();
        let values = py.detach(|| {
            let (schema, settings) =
                (self.model.schema(), RowSettings { header: Some(true), ..Default::default() });
            let mut rows = TableRows::open("X", &schema, self.model.classes(), &settings, text)?;
            let mut values = Vec::new();
            while let Some(row) = rows.next_row()? {
                unknown.count(&row);
                let missing = vec![f64::NAN; self.model.topology().inputs()];
                values.extend(row.inputs.unwrap_or(missing));
            }
            Ok(values)
        });
        let values = values.map_err(|e: Error| exception(&e))?;
        Ok((array_of_rows(py, values, self.model.topology().inputs())?, unknown.message()))
    }

    /// The scores on rows as JSON; for a classification, outputs have 1 in the column of the row's class.
    fn evaluate(
        &self,
        py: Python<'_>,
        inputs: PyReadonlyArray2<'_, f64>,
        outputs: PyReadonlyArray2<'_, f64>,
    ) -> PyResult<String> {
        let data = self.rows(&inputs, &outputs)?;
        to_json(&py.detach(|| self.model.scores(&data)))
    }

    /// Half of the width of each target's prediction interval at a level.
    fn half_widths(&self, level: f64) -> PyResult<Vec<f64>> {
        self.model.half_widths(level).map_err(|e| exception(&e))
    }

    /// The importance of columns on rows as JSON; `settings` are JSON.
    fn importance(
        &self,
        py: Python<'_>,
        inputs: PyReadonlyArray2<'_, f64>,
        outputs: PyReadonlyArray2<'_, f64>,
        settings: &str,
    ) -> PyResult<String> {
        let (data, settings) = (self.rows(&inputs, &outputs)?, from_json(settings)?);
        let found = py.detach(|| importance(&self.model, &data, &settings));
        to_json(&found.map_err(|e| exception(&e))?)
    }

    /// The partial dependence on a column as JSON; `settings` are JSON.
    fn dependence(
        &self,
        py: Python<'_>,
        inputs: PyReadonlyArray2<'_, f64>,
        column: &str,
        settings: &str,
    ) -> PyResult<String> {
        // Targets do not matter.
        let outputs =
            PyArray2::zeros(py, [inputs.as_array().nrows(), self.model.topology().outputs()], false);
        let (data, settings) = (self.rows(&inputs, &outputs.readonly())?, from_json(settings)?);
        let found = py.detach(|| dependence(&self.model, &data, column, &settings));
        to_json(&found.map_err(|e| exception(&e))?)
    }

    /// Names of the columns of the table that it was trained on, which may become several inputs each.
    #[getter]
    fn column_names(&self) -> Vec<String> {
        self.model.schema().inputs.iter().map(|column| column.name.clone()).collect()
    }

    /// The page about the model and rows with targets; for a classification, outputs have 1 in the column of
    /// the row's class.
    fn report(
        &self,
        py: Python<'_>,
        name: &str,
        inputs: PyReadonlyArray2<'_, f64>,
        outputs: PyReadonlyArray2<'_, f64>,
    ) -> PyResult<String> {
        let data = self.rows(&inputs, &outputs)?;
        py.detach(|| model_page(&self.model, &Rows::given(name, data), &About::default())).map_err(invalid)
    }

    /// The same for the text of a table with targets, which may be the one of the training.
    fn report_table(
        &self,
        py: Python<'_>,
        name: &str,
        text: &[u8],
        header: Option<bool>,
    ) -> PyResult<String> {
        let settings = RowSettings { header, ..Default::default() };
        py.detach(|| {
            let rows = Rows::read(&self.model, name, &settings, || Ok(text)).map_err(|e| exception(&e))?;
            model_page(&self.model, &rows, &About::default()).map_err(invalid)
        })
    }

    /// The same for a file, which may be compressed.
    fn report_file(&self, py: Python<'_>, path: PathBuf) -> PyResult<String> {
        py.detach(|| {
            let name = path.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
            let rows = Rows::read(&self.model, &name, &RowSettings::default(), || DataFile::open(&path));
            model_page(&self.model, &rows.map_err(|e| exception(&e))?, &About::default()).map_err(invalid)
        })
    }

    /// The model as a file for other programs, and by how much rounding changes its outputs.
    fn export<'py>(&self, py: Python<'py>, settings: &str) -> PyResult<(Bound<'py, PyBytes>, f64)> {
        let settings: ExportSettings = from_json(settings)?;
        let (bytes, rounding) =
            py.detach(|| self.model.export_with_rounding(&settings)).map_err(|e| exception(&e))?;
        Ok((PyBytes::new(py, &bytes), rounding.largest()))
    }

    /// A program that checks an exported file of this name: its own name, and the program.
    fn export_tests<'py>(
        &self,
        py: Python<'py>,
        settings: &str,
        file: &str,
    ) -> PyResult<(String, Bound<'py, PyBytes>)> {
        let settings: ExportSettings = from_json(settings)?;
        let bytes = py.detach(|| self.model.export_tests(&settings, file)).map_err(|e| exception(&e))?;
        let stem = file.rsplit_once('.').map_or(file, |(stem, _)| stem);
        Ok((settings.format.tests_name(stem), PyBytes::new(py, &bytes)))
    }

    /// The format whose files end like this.
    #[staticmethod]
    fn export_format(ending: &str) -> PyResult<&'static str> {
        use onefold::export::ExportFormat;
        let formats = ExportFormat::ALL.into_iter().filter(|format| !format.is_fixed());
        let endings: Vec<_> = formats.map(|format| format!(".{}", format.ending())).collect();
        ExportFormat::with_ending(ending).map(ExportFormat::name).ok_or_else(|| {
            let endings = endings.join(", ");
            invalid(format!("no format has the ending \".{ending}\"; use one of {endings}"))
        })
    }

    /// The identifier that is made of a file's name.
    #[staticmethod]
    fn export_name(stem: &str) -> String {
        ExportSettings::identifier(stem)
    }

    /// Layers, as in `4-3-3`.
    #[getter]
    fn topology(&self) -> String {
        self.model.topology().to_string()
    }

    /// Widths of the hidden layers.
    #[getter]
    fn hidden_layers(&self) -> Vec<usize> {
        self.model.topology().hidden().to_vec()
    }

    /// Whether each input has a weight to each output.
    #[getter]
    fn has_linear_part(&self) -> bool {
        self.model.topology().has_linear_part()
    }

    /// Names of the inputs.
    #[getter]
    fn input_names(&self) -> Vec<String> {
        self.model.input_names().to_vec()
    }

    /// Names of the outputs, or the classes.
    #[getter]
    fn output_names(&self) -> Vec<String> {
        self.model.output_names().to_vec()
    }

    /// Whether outputs stand for classes.
    #[getter]
    fn is_classification(&self) -> bool {
        self.model.is_classification()
    }

    /// Whether outputs are probabilities.
    #[getter]
    fn has_probabilities(&self) -> bool {
        self.model.has_probabilities()
    }

    /// Number of parameters.
    #[getter]
    fn parameters(&self) -> usize {
        self.model.parameters()
    }
}
