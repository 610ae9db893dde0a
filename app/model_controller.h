// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/model_document.h"
#include "app/model_worker.h"
#include "ui/input_panel.h"
#include "ui/main_window.h"

#include <QElapsedTimer>
#include <QObject>
#include <QStringList>

#include <map>

namespace app {

/// Messages that offer to choose a library of operators have this id.
inline const auto libraryAction = QStringLiteral("operator library");

/// Connects the window's Input dock with the models that are open: loads them, runs them, and makes their layers entries of
/// their documents.
class ModelController : public QObject
{
    Q_OBJECT
public:
    /// Shows in `window`, which must outlive it.
    explicit ModelController(ui::MainWindow& window, RunnerSettings settings = {}, QObject* parent = nullptr);

    /// A TorchScript program was opened (again, for a reload). `inputs` are pictures or tensors to run it on at once; may be
    /// empty.
    void adopt(int id, const QString& file, std::shared_ptr<const core::Document> document, const QStringList& inputs);
    void drop(int id);
    /// An entry of the document is shown: shows the model's input in the Input dock, if it is a model.
    void showInput(int id, const QString& entry);
    /// The model in the Input dock, or -1.
    int shown() const { return m_shown; }
    /// Whether pictures that come alone are meant for this model: it is the one in the Input dock and takes pictures, so many.
    bool wantsPictures(int id, qsizetype count) const;
    /// Whether the model in the Input dock could be given a file.
    bool takesFiles(int id) const;
    /// Gives files to the model in the Input dock and runs it.
    void give(const QStringList& files);
    /// Whether the entry is a layer of a model whose values a run would give; then runs it. The document comes by changed().
    bool choose(int id, const QString& entry);
    /// What the model's last run was given, for the tensors that it gave: a few words, and the picture if it was one.
    QString inputName(int id) const;
    std::optional<ui::NetworkInput> picture(int id) const;
    /// Starts a runner ahead of the first model.
    void warmUp() { m_worker.warmUp(); }
    /// Stops what runs, and says so.
    void cancel();
    /// Whether the runner is installed.
    bool canRun() const { return m_canRun; }
    bool isIdle() const { return m_worker.isIdle(); }

Q_SIGNALS:
    /// The model's document has changed. `show` is the entry to be shown now; empty for none.
    void changed(int id, std::shared_ptr<const core::Document> document, const QString& show);
    /// `action` (may be empty) is a button that helps.
    void failed(const QString& message, const QString& action = {}, const QString& actionId = {});
    void progressed(const QString& what, double done);
    void finished();

private:
    struct Model
    {
        QString file;
        ModelParts parts;
        ui::InputModel input;
        /// Files to run on once it is loaded.
        QStringList waitingInputs;
        /// The layer that is wanted; empty: the usual one.
        std::string layer;
        /// The layer whose values were shown last.
        std::string shownLayer;
        /// Number of the last run started.
        int run = 0;
        /// Input of the captures kept.
        ui::InputChoice ranWith;
        /// Input of the last run started.
        ui::InputChoice startedWith;
        /// Input that the layers' shapes are of; nothing while they are not known.
        std::optional<ui::InputChoice> shapesWith;
        /// Input of the last run that failed.
        ui::InputChoice failedWith;
        /// Input of what was shown last.
        ui::InputChoice shownWith;
        std::optional<ui::NetworkInput> picture;
        /// The entry shown last.
        std::string shownEntry;
        bool hasRun = false;
        /// A run that was asked for has ended, well or not.
        bool hasTried = false;
        bool isRunning = false;
        bool isDry = false;
        /// A run waits for the dry run that goes before it.
        bool runsAfterDry = false;
        /// What runs is out of date: another run follows.
        bool runsAgain = false;
        QElapsedTimer sinceStart;
        qint64 lastRunMs = 0;
    };

    void connectWindow();
    void connectWorker();
    void onOpened(int id, const std::shared_ptr<const ModelInfo>& info);
    void onPrepared(int id, const PreparedAnswer& answer);
    void onRan(int id, const ModelAnswer& answer);
    void onDryRun(int id, Model& model, const ModelAnswer& answer);
    void setChoice(int id, const ui::InputChoice& choice);
    /// Runs with the present input; first a dry run where no layer is known yet.
    void run(int id);
    void start(int id, bool dry);
    void stop(int id);
    /// Stops what runs and says nothing.
    void stopAll();
    void tellStopped(int id);
    void showRunning();
    /// Opens all models anew where the libraries changed.
    void setOptions(const ui::RunOptions& options);
    /// A message in the window's words, with what helps, in place of what the model's run before told.
    void fail(int id, const QString& message);
    /// Takes back what a run of the model told.
    void forgetFailure(int id);
    /// Whether another input is to be run by itself.
    static bool isLive(const Model& model);
    /// Layers' shapes of an input before the one that was run are no longer told. Whether they are to be found out again.
    static bool dropOldShapes(Model& model);
    ModelLimits limits() const;
    Model* find(int id);

    ui::MainWindow& m_window;
    const bool m_canRun;
    ModelWorker m_worker;
    std::map<int, Model> m_models;
    /// The model in the Input dock, or -1.
    int m_shown = -1;
    ui::RunOptions m_options;
};

} // namespace app
