// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/contents_panel.h"

namespace ui {

class ContentsPanel::Private
{
public:
};

ContentsPanel::ContentsPanel(QWidget* parent) : QWidget(parent), d(std::make_unique<Private>()) {}
ContentsPanel::~ContentsPanel() = default;

void ContentsPanel::addDocument(int, std::shared_ptr<const core::Document>) {}
void ContentsPanel::replaceDocument(int, std::shared_ptr<const core::Document>) {}
void ContentsPanel::removeDocument(int) {}
void ContentsPanel::setSummary(int, const QString&, const EntrySummary&) {}
void ContentsPanel::setShown(int, const QString&) {}
bool ContentsPanel::chooseNeighbour(int)
{
    return false;
}
void ContentsPanel::focusFilter() {}
void ContentsPanel::saveState(QSettings&) const {}
void ContentsPanel::restoreState(const QSettings&) {}
bool ContentsPanel::eventFilter(QObject* watched, QEvent* event)
{
    return QWidget::eventFilter(watched, event);
}
void ContentsPanel::changeEvent(QEvent* event)
{
    QWidget::changeEvent(event);
}

} // namespace ui
