// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>

class QAction;
class QLabel;
class QVBoxLayout;

namespace ui {

/// What the window offers when nothing is shown: Open, drag and drop, recent files, the sample.
class StartPage : public QWidget
{
    Q_OBJECT
public:
    StartPage(QAction* open, QAction* openSample, QWidget* parent = nullptr);

    /// Newest first; the first nine are offered.
    void setRecentFiles(const QStringList& files);
    /// A document is open, but no tensor of it is chosen yet.
    void setDocumentOpen(bool open);

Q_SIGNALS:
    void fileChosen(const QString& file);

private:
    QLabel* m_title;
    QLabel* m_hint;
    QWidget* m_recent;
    QVBoxLayout* m_recentColumn;
};

} // namespace ui
