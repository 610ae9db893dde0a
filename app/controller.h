// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/analysis_worker.h"
#include "app/exporter.h"
#include "app/loader.h"
#include "app/model_controller.h"
#include "app/summarizer.h"
#include "ui/main_window.h"

#include <QObject>
#include <QStringList>

#include <map>
#include <optional>

namespace app {

/// Messages that offer to read a changed file again are called this and the document's id.
inline const auto reloadPrefix = QStringLiteral("reload:");

/// Messages that offer to open a model's input as a document, or a document as a model's input.
inline const auto asDocumentAction = QStringLiteral("as document");
inline const auto asInputAction = QStringLiteral("as input");

/// Connects the window with the loader, the analysis worker and the exporter. Knows which files are open and what is shown;
/// does no work itself.
class Controller : public QObject
{
    Q_OBJECT
public:
    /// Shows in `window`, which must outlive the controller, what `engine` answers.
    /// `background` summarizes what is open for Contents and should use one thread; `runner` says how models are run.
    Controller(ui::MainWindow& window, std::unique_ptr<const core::Engine> engine,
               std::unique_ptr<const core::Engine> background = core::makeCpuEngine(1), RunnerSettings runner = {},
               QObject* parent = nullptr);

    /// Opens files and shows the first tensor of the first. A file that is open already is read again. `inputs` go into the
    /// first model among the files; without any, pictures go into the one model that they come with.
    void open(const QStringList& files, const QStringList& inputs = {});
    /// Opens the sample data and its photograph.
    void openSample();
    /// Lays a picture under masks.
    void openOverlayImage(const QString& file);
    /// Starts a model's runner ahead, as soon as there is nothing else to do: its start must slow nothing that is seen.
    void warmUpWhenIdle();
    /// Whether nothing runs, waits or is on its way (summaries for Contents aside).
    bool isIdle() const;
    /// Whether Contents has all summaries of what is open.
    bool isSummarized() const { return m_summarizer.isIdle(); }

    const AnalysisWorker& worker() const { return m_worker; }

Q_SIGNALS:
    /// The window has been given a frame.
    void frameShown(std::shared_ptr<const core::Frame> frame);
    /// The window shows an error.
    void failed(const QString& message);

private:
    struct OpenFile
    {
        QString file;
        std::shared_ptr<const core::Document> document;
    };

    void connectWindow();
    void connectWorkers();
    void onOpened(int id, std::shared_ptr<const core::Document> document);
    void onReloaded(int id);
    /// Gives pictures to the model that is seen rather than to Contents; false when they are no such pictures.
    bool giveToModel(const QStringList& files);
    void openDocuments(const QStringList& files, const QStringList& inputs);
    /// Hands a TorchScript program to the models, with the pictures that were opened together with it.
    void adoptModel(int id, const std::shared_ptr<const core::Document>& document);
    void offerAsInput(int id, const core::Document& document);
    /// A picture was open before the model.
    void offerShownPicture(int model);
    void showOffer(const QString& text);
    void onModelChanged(int id, const std::shared_ptr<const core::Document>& document, const QString& show);
    void onOpenFailed(int id, const QString& message);
    void onTaken(const std::shared_ptr<const TakenTensor>& tensor);
    void onFrame(const std::shared_ptr<const core::Frame>& frame);
    void onIndexed();
    void onChangedOnDisk(int id);
    void fail(const QString& message, const QString& action = {}, const QString& actionId = {});
    void reload(int id);
    void close(int id);
    /// The tensor shown was scanned anyway: its summary costs nothing.
    void summarizeShown(const TakenTensor& tensor);
    void showFirstTensor(int id);
    void showEntry(int id, const QString& name);
    /// Brings the controls back to the tensor that is still shown.
    void showCurrentAgain();
    /// Stops what runs; what was shown before stays.
    void cancel();
    void onAnswerCancelled();
    /// The document that is shown, or -1.
    int currentDocument() const;

    ui::MainWindow& m_window;
    Loader m_loader;
    AnalysisWorker m_worker;
    Exporter m_exporter;
    ModelController m_models;
    Summarizer m_summarizer;
    QTimer m_changeTimer;

    std::map<int, OpenFile> m_files;
    /// Files being opened for the first time, by id.
    std::map<int, QString> m_opening;
    int m_lastId = 0;
    /// Whose first tensor is shown once it is open, or -1.
    int m_toShow = -1;
    /// The model being opened that the waiting pictures go into, or -1.
    int m_waitingModel = -1;
    QStringList m_waitingInputs;
    /// Pictures that went into a model, and could be documents.
    QStringList m_given;
    /// A file that is being opened while a model is seen, and could be its input.
    struct
    {
        QString file;
        int document = -1;
        int model = -1;
        /// The file was there before the model, which is being opened.
        bool awaitsModel = false;
    } m_offered;
    /// What the models' worker does, as it said last.
    struct
    {
        QString what;
        double done = -1;
    } m_modelProgress;
    ui::TensorSummary m_summary;
    std::shared_ptr<const core::Frame> m_frame;
    /// What was seen before the tensor that has no picture yet.
    std::optional<TensorChoice> m_seenBefore;
    /// Part last shown of each entry, so that coming back finds it again.
    std::map<std::pair<int, QString>, core::Selection> m_selections;
};

} // namespace app
