// SPDX-License-Identifier: GPL-3.0-or-later
// What becomes of files that are opened or dropped.
#include "app/controller.h"
#include "app/recent_files.h"
#include "app/samples.h"

#include <QDir>
#include <QFileInfo>

#include <algorithm>

namespace app {

namespace {

/// Files that go into a model where one is opened together with them.
bool isPictureName(const QString& file)
{
    const auto ending = QFileInfo(file).suffix().toLower();
    return QStringList({QStringLiteral("png"), QStringLiteral("jpg"), QStringLiteral("jpeg"), QStringLiteral("bmp")})
        .contains(ending);
}

bool isModelName(const QString& file)
{
    const auto ending = QFileInfo(file).suffix().toLower();
    return QStringList({QStringLiteral("pt"), QStringLiteral("pth"), QStringLiteral("ts"), QStringLiteral("torchscript")})
        .contains(ending);
}

} // namespace

bool Controller::giveToModel(const QStringList& files)
{
    const int id = currentDocument() >= 0 ? currentDocument() : m_models.shown();
    const bool pictures = !files.isEmpty() && std::all_of(files.begin(), files.end(), isPictureName);
    if (!pictures || !m_models.wantsPictures(id, files.size()))
        return false;
    QStringList paths;
    for (const auto& file : files)
        paths.append(QDir::cleanPath(QFileInfo(file).absoluteFilePath()));
    // One that is open as a document is meant as that.
    for (const auto& [known, entry] : m_files)
        if (paths.contains(entry.file))
            return false;
    m_given = paths;
    m_window.withdrawMessage(asDocumentAction);
    m_window.showMessage(
        ui::Severity::information,
        tr("%1 goes into %2 as its input").arg(QFileInfo(paths.front()).fileName(), QFileInfo(m_files[id].file).fileName()),
        tr("Open as document"), asDocumentAction);
    m_models.give(paths);
    return true;
}

void Controller::open(const QStringList& files, const QStringList& inputs)
{
    if (inputs.isEmpty() && giveToModel(files))
        return;
    openDocuments(files, inputs);
}

void Controller::openDocuments(const QStringList& files, const QStringList& inputs)
{
    const int seen = currentDocument();
    const bool givesInput = inputs.isEmpty() && std::count_if(files.begin(), files.end(), isModelName) == 1 &&
                            std::count_if(files.begin(), files.end(), isPictureName) == files.size() - 1 && files.size() > 1;
    QStringList given;
    for (const auto& input : inputs)
        given.append(QFileInfo(input).absoluteFilePath());
    bool first = true;
    bool hasModel = false;
    for (const auto& file : files) {
        if (givesInput && isPictureName(file)) {
            given.append(QFileInfo(file).absoluteFilePath());
            continue;
        }
        const auto path = QDir::cleanPath(QFileInfo(file).absoluteFilePath());
        const auto open =
            std::find_if(m_files.begin(), m_files.end(), [&](const auto& entry) { return entry.second.file == path; });
        const int id = open == m_files.end() ? ++m_lastId : open->first;
        if (open == m_files.end())
            m_opening[id] = path;
        if (std::exchange(first, false))
            m_toShow = id;
        m_loader.open(id, path);
        // A model by its name, or the only file whatever its name.
        if (givesInput || (!inputs.isEmpty() && !hasModel && (isModelName(file) || files.size() == 1))) {
            m_waitingModel = id;
            hasModel = true;
        }
    }
    // Alone beside a model it may be meant as its input.
    if (inputs.isEmpty() && files.size() == 1 && !isModelName(files.front()) && m_models.takesFiles(seen))
        m_offered = {QDir::cleanPath(QFileInfo(files.front()).absoluteFilePath()), m_lastId, seen, false};
    // A picture that is looked at may be meant for the model that is opened next.
    if (const auto shown = m_files.find(seen); given.isEmpty() && files.size() == 1 && isModelName(files.front()) &&
                                               m_opening.contains(m_lastId) && shown != m_files.end() &&
                                               isPictureName(shown->second.file))
        m_offered = {shown->second.file, seen, m_lastId, true};
    // What an earlier model waits for stays.
    if (!given.isEmpty())
        m_waitingInputs = given;
}

void Controller::openSample()
{
    // The inside of a network where models can be run, saved activations elsewhere.
    if (const auto model = samplePath(QStringLiteral("shapes.pt")); !model.isEmpty() && m_models.canRun()) {
        open({model, samplePath(QStringLiteral("shapes.jpg"))});
        return;
    }
    const auto file = samplePath(QStringLiteral("activations.safetensors"));
    if (file.isEmpty()) {
        fail(tr("The sample data is not installed: share/actiscope/samples is missing beside the program"));
        return;
    }
    open({file});
    openOverlayImage(samplePath(QStringLiteral("astronaut.png")));
}

void Controller::openOverlayImage(const QString& file)
{
    m_loader.loadImage(file);
}

void Controller::onOpened(int id, std::shared_ptr<const core::Document> document)
{
    for (const auto& warning : document->warnings)
        m_window.showMessage(ui::Severity::warning, QString::fromStdString(warning));
    if (const auto known = m_files.find(id); known != m_files.end()) {
        known->second.document = document;
        m_window.replaceDocument(id, document);
        onReloaded(id);
        m_summarizer.add(id, document);
        adoptModel(id, document);
        return;
    }
    const auto opening = m_opening.extract(id);
    // Cancelled while this was on its way.
    if (opening.empty())
        return;
    m_files[id] = {opening.mapped(), document};
    m_window.setRecentFiles(addRecentFile(opening.mapped()));
    m_window.addDocument(id, document);
    // A model with an input shows the layer that the run will give.
    if (id == m_toShow && id != m_waitingModel)
        showFirstTensor(id);
    m_summarizer.add(id, document);
    adoptModel(id, document);
    offerAsInput(id, *document);
}

void Controller::offerAsInput(int id, const core::Document& document)
{
    if (id != m_offered.document || m_offered.awaitsModel || document.isProgram ||
        std::none_of(document.entries.begin(), document.entries.end(), [](const auto& entry) { return entry.isTensor(); }))
        return;
    const auto model = m_files.find(m_offered.model);
    if (model == m_files.end())
        return;
    showOffer(tr("%1 is open; it can also go into %2 as its input")
                  .arg(QFileInfo(m_offered.file).fileName(), QFileInfo(model->second.file).fileName()));
}

void Controller::offerShownPicture(int model)
{
    if (!m_offered.awaitsModel || model != m_offered.model || !m_models.wantsPictures(model, 1))
        return;
    m_offered.awaitsModel = false;
    if (m_files.contains(m_offered.document))
        showOffer(tr("%1 can go into %2 as its input")
                      .arg(QFileInfo(m_offered.file).fileName(), QFileInfo(m_files[model].file).fileName()));
}

void Controller::showOffer(const QString& text)
{
    m_window.withdrawMessage(asInputAction);
    m_window.showMessage(ui::Severity::information, text, tr("Use as input"), asInputAction);
}

void Controller::adoptModel(int id, const std::shared_ptr<const core::Document>& document)
{
    const bool hasInputs = std::exchange(m_waitingModel, id == m_waitingModel ? -1 : m_waitingModel) == id;
    const auto inputs = hasInputs ? std::exchange(m_waitingInputs, {}) : QStringList();
    if (document->isProgram)
        m_models.adopt(id, m_files[id].file, document, inputs);
    else
        open(inputs);
}

void Controller::onOpenFailed(int id, const QString& message)
{
    m_opening.erase(id);
    fail(message);
}

} // namespace app
