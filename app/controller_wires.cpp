// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/controller.h"
#include "app/window_export.h"

#include <QClipboard>
#include <QGuiApplication>

namespace app {

void Controller::connectWindow()
{
    using ui::MainWindow;
    connect(&m_window, &MainWindow::openRequested, this, [this](const QStringList& files) { open(files); });
    connect(&m_window, &MainWindow::sampleRequested, this, &Controller::openSample);
    connect(&m_window, &MainWindow::closeRequested, this, &Controller::close);
    connect(&m_window, &MainWindow::reloadRequested, this, &Controller::reload);
    connect(&m_window, &MainWindow::overlayImageRequested, this, &Controller::openOverlayImage);
    connect(&m_window, &MainWindow::entryChosen, this, &Controller::showEntry);
    connect(&m_window, &MainWindow::selectionChanged, this, [this](const core::Selection& selection) {
        if (const auto current = m_worker.current()) {
            auto choice = current->choice;
            choice.selection = selection;
            m_worker.take(choice);
        }
    });
    connect(&m_window, &MainWindow::requestChanged, &m_worker, &AnalysisWorker::ask);
    connect(&m_window, &MainWindow::exportRequested, this, [this](ui::ExportKind kind, const QString& file) {
        if (m_worker.current() && m_frame)
            exportFromWindow(m_window, m_exporter, {m_worker.current(), m_frame}, kind, file);
    });
    connect(&m_window, &MainWindow::copyPictureRequested, this,
            [this] { QGuiApplication::clipboard()->setImage(m_window.canvasPicture(true)); });
    connect(&m_window, &MainWindow::cancelRequested, this, &Controller::cancel);
    connect(&m_window, &MainWindow::messageAction, this, [this](const QString& id) {
        if (id.startsWith(reloadPrefix))
            reload(id.mid(reloadPrefix.size()).toInt());
        else if (id == asDocumentAction)
            openDocuments(m_given, {});
        else if (id == asInputAction && m_models.shown() == m_offered.model)
            m_models.give({m_offered.file});
    });
    connect(&m_changeTimer, &QTimer::timeout, &m_loader, &Loader::lookForChanges);
    connect(qGuiApp, &QGuiApplication::applicationStateChanged, &m_loader, &Loader::lookForChanges);
}

void Controller::connectWorkers()
{
    const auto showError = [this](const QString& text) { fail(text); };
    // A model may run long: its progress comes back when what was shorter has ended.
    const auto endProgress = [this] {
        if (m_models.isIdle() || m_modelProgress.what.isEmpty())
            m_window.hideProgress();
        else
            m_window.showProgress(m_modelProgress.what, m_modelProgress.done);
    };
    connect(&m_loader, &Loader::opened, this, &Controller::onOpened);
    connect(&m_loader, &Loader::openFailed, this, &Controller::onOpenFailed);
    connect(&m_loader, &Loader::imageLoaded, &m_window, &ui::MainWindow::setOverlayImage);
    connect(&m_loader, &Loader::imageFailed, this, showError);
    connect(&m_loader, &Loader::changedOnDisk, this, &Controller::onChangedOnDisk);
    connect(&m_loader, &Loader::progressed, &m_window, &ui::MainWindow::showProgress);
    connect(&m_loader, &Loader::finished, this, endProgress);

    connect(&m_worker, &AnalysisWorker::taken, this, &Controller::onTaken);
    connect(&m_worker, &AnalysisWorker::takeFailed, this, [this, showError](const QString& text) {
        showError(text);
        showCurrentAgain();
    });
    connect(&m_worker, &AnalysisWorker::takeCancelled, this, &Controller::showCurrentAgain);
    connect(&m_worker, &AnalysisWorker::progressed, &m_window, &ui::MainWindow::showProgress);
    connect(&m_worker, &AnalysisWorker::progressEnded, this, endProgress);
    connect(&m_worker, &AnalysisWorker::answerCancelled, this, &Controller::onAnswerCancelled);
    connect(&m_worker, &AnalysisWorker::answered, this, &Controller::onFrame);
    connect(&m_worker, &AnalysisWorker::failed, this, showError);
    connect(&m_worker, &AnalysisWorker::indexed, this, &Controller::onIndexed);
    connect(&m_worker, &AnalysisWorker::warned, this,
            [this](const QString& text) { m_window.showMessage(ui::Severity::warning, text); });

    connect(&m_models, &ModelController::changed, this, &Controller::onModelChanged);
    connect(&m_models, &ModelController::failed, this, &Controller::fail);
    connect(&m_models, &ModelController::progressed, this, [this](const QString& what, double done) {
        m_modelProgress = {what, done};
        m_window.showProgress(what, done);
    });
    connect(&m_models, &ModelController::finished, this, [this] {
        m_modelProgress = {};
        m_window.hideProgress();
    });

    connect(&m_summarizer, &Summarizer::summarized, &m_window, &ui::MainWindow::setSummaries);

    connect(&m_exporter, &Exporter::failed, this, showError);
    connect(&m_exporter, &Exporter::written, this,
            [this](const QString& file) { m_window.showMessage(ui::Severity::information, tr("%1 is written").arg(file)); });
    connect(&m_exporter, &Exporter::progressed, &m_window, &ui::MainWindow::showProgress);
    connect(&m_exporter, &Exporter::finished, this, endProgress);
}

} // namespace app
