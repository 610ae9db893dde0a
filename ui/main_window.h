// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/document.h"
#include "core/frame.h"
#include "core/input_geometry.h"
#include "ui/input_panel.h"

#include <QMainWindow>
#include <QStringList>

#include <functional>
#include <memory>
#include <optional>
#include <vector>

namespace ui {

struct NamedSummary;

/// The picture that a model's run was given.
struct NetworkInput
{
    core::InputGeometry geometry;
    /// As the network got it.
    std::shared_ptr<const core::Image> given;
    /// The picture file it was made from, of the geometry's original size; null for none.
    std::shared_ptr<const core::Image> original;
};

/// What the window must know of the tensor that is shown.
struct TensorSummary
{
    int document = 0;
    QString file;
    QString entry;
    core::DType dtype = core::DType::f32;
    core::Shape shape;
    core::StorageKind storage = core::StorageKind::strided;
    core::Selection selection;
    core::Extents extents;
    QString engine;
    /// Per selected plane, batch-major, and of all.
    std::shared_ptr<const std::vector<core::Statistics>> planes;
    core::Statistics total;
    /// For layers of a model: what it was run on, "photo.jpg"; may be empty.
    QString inputName;
    /// For layers of a model that was run on a picture.
    std::optional<NetworkInput> input;
};

enum class ExportKind { picture, thresholdPlot, channelPlot, table, map, mask, coordinates };
/// What the colours on the canvas mean.
struct CanvasMeaning
{
    /// Values in colours: not where a mask lies over an image.
    bool values = true;
    /// Hot pixels are marked.
    bool mask = false;
};
enum class Severity { information, warning, error };

/// The program's window. Shows values it is given and says what the user wants; opens no file, runs no engine, starts no
/// thread. All wiring to the rest of the program is these signals and functions.
class MainWindow : public QMainWindow
{
    Q_OBJECT
public:
    explicit MainWindow(QWidget* parent = nullptr);
    ~MainWindow() override;

    /// Adds an opened document to Contents under an id of the caller's.
    void addDocument(int id, std::shared_ptr<const core::Document> document);
    /// Replaces a document that was reloaded; what is expanded and selected stays.
    void replaceDocument(int id, std::shared_ptr<const core::Document> document);
    void removeDocument(int id);
    /// What Contents tells of whole tensors, as it becomes known.
    void setSummaries(int document, const std::vector<NamedSummary>& summaries);
    /// A tensor was loaded and will be shown by frames; adapts layout, plane controls, tables, threshold range.
    void showTensor(const TensorSummary& tensor);
    /// Nothing is shown any more (empty canvas with Open, recent files and the sample).
    void showNothing();
    /// Takes a frame; each part shows its share. Called with rising request numbers only.
    void showFrame(std::shared_ptr<const core::Frame> frame);
    /// The picture under masks chosen with Open overlay image, or null for none; it is shown at once.
    void setOverlayImage(std::shared_ptr<const core::Image> image, const QString& file);
    /// A message bar that stays until dismissed. `action` (may be empty) is a button that emits messageAction(id).
    void showMessage(Severity severity, const QString& text, const QString& action = {}, const QString& id = {});
    /// Takes back the messages with this id, which no longer hold.
    void withdrawMessage(const QString& id);
    /// Long work: what it does and how far it is, 0 to 1 (negative: unknown). Shows Cancel.
    void showProgress(const QString& what, double done);
    void hideProgress();
    void setRecentFiles(const QStringList& files);

    /// Shows in the Input dock what goes into a model, and allows to run it. Opens the dock when the document is new there.
    void showInput(const InputModel& model);
    /// The model of this document is gone; nothing when another one is shown.
    void clearInput(int document);
    /// What the shown model would get.
    void setInputPreview(const InputPreview& preview);
    /// While the shown model runs Run becomes Stop.
    void setModelRunning(bool running);
    /// Gives files to the first argument that takes tensors, best one that has none, and emits inputChanged; false when there
    /// is none.
    bool giveInputFiles(const QStringList& files);
    /// What is shown of this model's document is of an input before the present one.
    void setOutdated(int document, bool outdated);
    /// What the shown model printed.
    void setModelLog(const QString& log);
    RunOptions runOptions() const;
    void setRunOptions(const RunOptions& options);
    /// Asks for a library of operators, and adds it to the run options.
    void addOperatorLibrary();

    /// Asks the engine-independent question "which threshold is n stops from here" through these (set by the controller).
    void setStopFunctions(std::function<double(double)> nearest, std::function<double(double, std::int64_t)> step);

    /// Lines for Help > About on what this build and this machine can do; asked for when it opens.
    void setMachineFunction(std::function<QString()> machine);

    /// The request that the controls stand for now (without number).
    core::Request currentRequest() const;
    /// Sets the threshold as a drag would (tests, --bench-drag, --self-test).
    void dragThreshold(double value);
    void endDrag();
    /// The canvas as a picture at its present size; thresholdPlot or channelPlot as SVG, PDF or PNG by the file's ending, false
    /// where that is another or the plot cannot be written. Used by the exporter.
    QImage canvasPicture(bool withColorBar) const;
    bool savePlot(ExportKind plot, const QString& path) const;
    /// What the canvas' colours mean: values, hot pixels (an outline or not).
    CanvasMeaning canvasMeaning() const;

Q_SIGNALS:
    void openRequested(const QStringList& files);
    void sampleRequested();
    void closeRequested(int document);
    void reloadRequested(int document);
    void overlayImageRequested(const QString& file);
    void entryChosen(int document, const QString& entry);
    /// The user changed layout or held indices: the tensor must be loaded again.
    void selectionChanged(const core::Selection& selection);
    /// Any control changed; ask for a frame.
    void requestChanged(const core::Request& request);
    void exportRequested(ui::ExportKind kind, const QString& file);
    void copyPictureRequested();
    void cancelRequested();
    void messageAction(const QString& id);
    /// The user changed what goes into the model (typing waits until it rests).
    void inputChanged(int document, const ui::InputChoice& choice);
    void runRequested(int document);
    /// The Stop button of the Input dock; Esc is cancelRequested.
    void stopRequested(int document);
    void runOptionsChanged(const ui::RunOptions& options);

protected:
    void dragEnterEvent(QDragEnterEvent* event) override;
    void dropEvent(QDropEvent* event) override;
    void closeEvent(QCloseEvent* event) override;

private:
    class Private;
    std::unique_ptr<Private> d;
};

} // namespace ui
