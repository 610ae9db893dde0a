// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QMetaObject>
#include <QObject>

#include <atomic>
#include <utility>

namespace app {

/// Brings results from a worker's thread to the thread that an object lives in. A member of that object: what is still on its
/// way when the object goes is dropped.
class Mailbox
{
public:
    explicit Mailbox(QObject* owner) : m_owner(owner) {}

    /// Calls `function` on the owner's thread, in the order of the calls. Any thread.
    template <class Function>
    void deliver(Function function)
    {
        ++m_onTheWay;
        QMetaObject::invokeMethod(
            m_owner,
            [this, function = std::move(function)] {
                function();
                --m_onTheWay;
            },
            Qt::QueuedConnection);
    }
    /// Whether nothing is on its way.
    bool isEmpty() const { return m_onTheWay == 0; }

private:
    QObject* const m_owner;
    std::atomic<int> m_onTheWay = 0;
};

} // namespace app
