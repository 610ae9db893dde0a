// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/natural_order.h"

namespace ui {

bool naturallyBefore(const QString& a, const QString& b)
{
    qsizetype i = 0;
    qsizetype j = 0;
    const auto isDigit = [](QChar c) { return c >= u'0' && c <= u'9'; };
    while (i < a.size() && j < b.size()) {
        if (isDigit(a[i]) && isDigit(b[j])) {
            const qsizetype startA = i;
            const qsizetype startB = j;
            while (i < a.size() && isDigit(a[i]))
                ++i;
            while (j < b.size() && isDigit(b[j]))
                ++j;
            const qulonglong x = QStringView(a).mid(startA, i - startA).toULongLong();
            const qulonglong y = QStringView(b).mid(startB, j - startB).toULongLong();
            if (x != y)
                return x < y;
            continue;
        }
        const QChar x = a[i++].toCaseFolded();
        const QChar y = b[j++].toCaseFolded();
        if (x != y)
            return x < y;
    }
    return a.size() - i < b.size() - j;
}

} // namespace ui
