// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/summary.h"

#include <algorithm>

namespace app {

ui::TensorSummary summaryOf(const TakenTensor& taken, const QString& file)
{
    ui::TensorSummary summary;
    summary.document = taken.choice.document;
    summary.file = file;
    summary.entry = QString::fromStdString(taken.choice.entry->name);
    summary.dtype = taken.tensor->dtype();
    summary.shape = taken.tensor->shape();
    summary.storage = taken.choice.entry->storage;
    summary.selection = taken.tensor->selection();
    summary.extents = taken.tensor->extents();
    summary.engine = QString::fromStdString(taken.engine);
    summary.planes = taken.planes;
    summary.total = taken.total;
    return summary;
}

bool fits(const core::Selection& selection, const core::Shape& shape)
{
    if (selection.layout.roles.size() != shape.size() || selection.fixed.size() != shape.size())
        return false;
    for (std::size_t axis = 0; axis < shape.size(); ++axis)
        if (selection.fixed[axis].value_or(0) >= std::max<std::int64_t>(shape[axis], 1))
            return false;
    return true;
}

} // namespace app
