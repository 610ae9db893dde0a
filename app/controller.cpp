// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/controller.h"

#include "app/recent_files.h"
#include "app/summary.h"
#include "app/whole_summary.h"

#include <QGuiApplication>
#include <QTimer>

#include <algorithm>
#include <chrono>

namespace app {

namespace {

constexpr std::chrono::seconds changeInterval{2};

const auto stoppedMessage = QStringLiteral("stopped");
const auto indexNote = QStringLiteral("index");

} // namespace

Controller::Controller(ui::MainWindow& window, std::unique_ptr<const core::Engine> engine,
                       std::unique_ptr<const core::Engine> background, RunnerSettings runner, QObject* parent)
    : QObject(parent), m_window(window), m_worker(std::move(engine)), m_models(window, std::move(runner)),
      m_summarizer(std::move(background), [this] { return !m_worker.isIdle() || !m_models.isIdle(); })
{
    connectWindow();
    connectWorkers();
    m_window.setRecentFiles(recentFiles());
    m_window.setStopFunctions(
        [this](double value) { return m_worker.current() ? m_worker.current()->tensor->nearestStop(value) : value; },
        [this](double value, std::int64_t steps) {
            return m_worker.current() ? m_worker.current()->tensor->stepStop(value, steps) : value;
        });
    m_changeTimer.start(changeInterval);
}

void Controller::warmUpWhenIdle()
{
    constexpr int pauseMs = 500;
    auto* timer = new QTimer(this);
    connect(timer, &QTimer::timeout, this, [this, timer] {
        if (!isIdle() || !isSummarized())
            return;
        timer->stop();
        timer->deleteLater();
        m_models.warmUp();
    });
    timer->start(pauseMs);
}

bool Controller::isIdle() const
{
    return m_loader.isIdle() && m_worker.isIdle() && m_exporter.isIdle() && m_models.isIdle();
}

int Controller::currentDocument() const
{
    return m_worker.current() ? m_worker.current()->choice.document : -1;
}

void Controller::onModelChanged(int id, const std::shared_ptr<const core::Document>& document, const QString& show)
{
    const auto known = m_files.find(id);
    if (known == m_files.end())
        return;
    known->second.document = document;
    m_window.replaceDocument(id, document);
    m_summarizer.add(id, document);
    if (!show.isEmpty())
        showEntry(id, show);
    offerShownPicture(id);
}

void Controller::onReloaded(int id)
{
    const bool wanted = std::exchange(m_toShow, -1) == id;
    if (currentDocument() != id) {
        if (wanted)
            showFirstTensor(id);
        return;
    }
    const auto& file = m_files[id];
    auto choice = m_worker.current()->choice;
    const auto* entry = file.document->find(choice.entry->name);
    // A model's layers come once it is loaded.
    if (!entry && file.document->isProgram)
        return;
    if (!entry || !entry->isTensor()) {
        m_window.showMessage(ui::Severity::warning, tr("%1 no longer holds \"%2\"; what it held is still shown")
                                                        .arg(file.file, QString::fromStdString(choice.entry->name)));
        return;
    }
    choice.file = file.document;
    choice.entry = entry;
    if (!fits(choice.selection, entry->shape))
        choice.selection = defaultSelection(*entry);
    m_worker.take(choice);
}

void Controller::fail(const QString& message, const QString& action, const QString& actionId)
{
    m_window.showMessage(ui::Severity::error, message, action, actionId);
    Q_EMIT failed(message);
}

void Controller::onTaken(const std::shared_ptr<const TakenTensor>& tensor)
{
    const int id = tensor->choice.document;
    m_frame.reset();
    m_window.withdrawMessage(indexNote);
    m_summary = summaryOf(*tensor, m_files[id].file);
    if (tensor->choice.entry->kind == core::EntryKind::layer) {
        m_summary.inputName = m_models.inputName(id);
        m_summary.input = m_models.picture(id);
    }
    m_selections[{id, m_summary.entry}] = tensor->choice.selection;
    m_window.showTensor(m_summary);
    m_models.showInput(id, m_summary.entry);
    m_worker.ask(m_window.currentRequest());
    summarizeShown(*tensor);
}

void Controller::summarizeShown(const TakenTensor& tensor)
{
    const auto& choice = tensor.choice;
    const auto known = m_files.find(choice.document);
    if (known == m_files.end() || known->second.document != choice.file || choice.selection != defaultSelection(*choice.entry))
        return;
    m_summarizer.skip(choice.document, choice.entry);
    const auto whole = summarize(tensor.tensor->extents(), *tensor.planes, tensor.total);
    m_window.setSummaries(choice.document, {{QString::fromStdString(choice.entry->name), entrySummary(whole)}});
}

void Controller::cancel()
{
    m_loader.cancel();
    m_exporter.cancel();
    m_models.cancel();
    m_opening.clear();
    m_worker.cancel();
}

void Controller::onAnswerCancelled()
{
    if (m_frame) {
        m_window.showMessage(ui::Severity::information,
                             tr("Stopped: picture and counts are still those of \"%1\"")
                                 .arg(QString::fromStdString(m_frame->request.where.text)),
                             {}, stoppedMessage);
        return;
    }
    // The tensor was taken in, but nobody has seen it.
    if (m_seenBefore && m_files.contains(m_seenBefore->document)) {
        m_worker.take(*m_seenBefore);
    } else {
        m_worker.release();
        m_window.showNothing();
    }
}

void Controller::showCurrentAgain()
{
    if (!m_worker.current())
        return;
    m_window.showTensor(m_summary);
    m_worker.ask(m_window.currentRequest());
}

void Controller::onFrame(const std::shared_ptr<const core::Frame>& frame)
{
    if (!frame->note.empty() && (!m_frame || m_frame->note != frame->note))
        m_window.showMessage(ui::Severity::information, QString::fromStdString(frame->note));
    m_frame = frame;
    m_seenBefore = m_worker.current()->choice;
    m_window.withdrawMessage(stoppedMessage);
    m_window.showFrame(frame);
    Q_EMIT frameShown(frame);
}

void Controller::onIndexed()
{
    const auto note = m_worker.current()->tensor->indexNote();
    if (!note.empty())
        m_window.showMessage(ui::Severity::information, tr("To save memory: %1").arg(QString::fromStdString(note)), {},
                             indexNote);
    // The first frames of a large tensor come without a histogram.
    if (m_frame && !m_frame->distribution)
        m_worker.ask(m_window.currentRequest());
}

void Controller::onChangedOnDisk(int id)
{
    if (const auto known = m_files.find(id); known != m_files.end())
        m_window.showMessage(ui::Severity::warning, tr("%1 changed on disk").arg(known->second.file), tr("Reload"),
                             reloadPrefix + QString::number(id));
}

void Controller::reload(int id)
{
    const auto known = m_files.find(id < 0 ? currentDocument() : id);
    if (known == m_files.end())
        return;
    m_window.withdrawMessage(reloadPrefix + QString::number(known->first));
    m_loader.open(known->first, known->second.file);
}

void Controller::close(int id)
{
    auto known = m_files.find(id < 0 ? currentDocument() : id);
    // Nothing is shown: the file opened last.
    if (known == m_files.end() && id < 0 && !m_files.empty())
        known = std::prev(m_files.end());
    if (known == m_files.end())
        return;
    id = known->first;
    if (currentDocument() == id) {
        m_worker.release();
        m_frame.reset();
        m_window.showNothing();
    }
    m_loader.forget(id);
    m_models.drop(id);
    if (id == m_offered.model)
        m_window.withdrawMessage(asInputAction);
    m_summarizer.remove(id);
    if (m_seenBefore && m_seenBefore->document == id)
        m_seenBefore.reset();
    m_window.withdrawMessage(reloadPrefix + QString::number(id));
    m_window.removeDocument(id);
    m_files.erase(known);
    std::erase_if(m_selections, [id](const auto& entry) { return entry.first.first == id; });
}

void Controller::showFirstTensor(int id)
{
    m_toShow = -1;
    const auto& file = m_files[id];
    const auto& entries = file.document->entries;
    // Its layers come, or why they do not.
    if (file.document->isProgram && entries.empty())
        return;
    const auto first = std::find_if(entries.begin(), entries.end(), [](const core::Entry& entry) { return entry.isTensor(); });
    if (first != entries.end())
        showEntry(id, QString::fromStdString(first->name));
    else
        m_window.showMessage(ui::Severity::information,
                             tr("%1 holds no tensor; what it holds is listed in Contents").arg(file.file));
}

void Controller::showEntry(int id, const QString& name)
{
    const auto known = m_files.find(id);
    const auto* entry = known == m_files.end() ? nullptr : known->second.document->find(name.toStdString());
    if (!entry || !entry->isTensor()) {
        m_models.choose(id, name);
        return;
    }
    const auto shown = m_selections.find({id, name});
    const bool again = shown != m_selections.end() && fits(shown->second, entry->shape);
    m_worker.take({id, known->second.document, entry, again ? shown->second : defaultSelection(*entry)});
}

} // namespace app
