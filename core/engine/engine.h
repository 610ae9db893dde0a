// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/engine/condition.h"
#include "core/engine/labels.h"
#include "core/engine/norms.h"
#include "core/engine/predicate.h"
#include "core/engine/select.h"
#include "core/layout.h"
#include "core/progress.h"

#include <functional>
#include <memory>
#include <variant>

namespace core {

/// A value of a tensor without loss: int64_t or uint64_t for integers and bool, double for floats.
using Scalar = std::variant<std::int64_t, std::uint64_t, double>;

/// A sum of a plane's values: exact for integers and bool, float64 in a fixed order for floats.
struct Sum
{
    bool isInteger = false;
    __int128 integer = 0;
    double real = 0;

    double toDouble() const { return isInteger ? static_cast<double>(integer) : real; }
};

/// Statistics over the finite values of a plane, a channel or a tensor. `min` and `max` are absent when there are none.
struct Statistics
{
    std::int64_t elements = 0;
    std::int64_t finite = 0;
    std::int64_t zeros = 0;
    std::int64_t nan = 0;
    std::int64_t positiveInf = 0;
    std::int64_t negativeInf = 0;
    std::optional<Scalar> min;
    std::optional<Scalar> max;
    std::optional<double> mean;
    /// Population standard deviation.
    std::optional<double> std;
    Sum sum;
    /// False for complex tensors: only elements, zeros, nan and infinities are then meaningful.
    bool ordered = true;
};

/// How a heat map reduces the channels of one pixel.
enum class Reduction { sum, count, max, mean, l1, l2 };
std::string_view reductionName(Reduction reduction);
std::optional<Reduction> reductionFromName(std::string_view name);

/// One heat map asked for.
struct HeatMapQuery
{
    Reduction reduction = Reduction::sum;
    /// Over all elements instead of the hot ones.
    bool allValues = false;
    /// Position among the selected batch items, or all of them.
    std::optional<std::int64_t> batch;
};

/// A plane by its position among the selected batch items and channels.
struct PlaneIndex
{
    std::int64_t batch = 0;
    std::int64_t channel = 0;
    bool operator==(const PlaneIndex&) const = default;
};

/// Rows [first, first + count) of the coordinate list.
struct RowWindow
{
    std::int64_t first = 0;
    std::int64_t count = 0;
};

/// Several outputs of one condition, answered in one pass where they can be.
struct Query
{
    Where where;
    /// Counts per plane. The count of all comes with them; for sparse tensors without them too, for any number of planes.
    bool counts = true;
    /// Per-plane sums of hot values.
    bool hotSums = false;
    std::vector<HeatMapQuery> heatMaps;
    /// Planes whose mask is wanted.
    std::vector<PlaneIndex> masks;
    /// Of masks only every such row and column, from the first: what a picture shows that is so much smaller.
    int maskStep = 1;
    std::optional<RowWindow> rows;
    /// While a threshold moves: maps of counts, sums and means may be near the true ones (Result::mapsAreExact tells) where
    /// that is faster.
    bool draft = false;
};

/// Some rows of the coordinate list, in torch.nonzero's order over the selected part.
struct Coordinates
{
    std::int64_t firstRow = 0;
    int rank = 0;
    /// Full indices in the tensor's own axes, row-major [rows, rank].
    std::vector<std::int64_t> indices;
    /// The value of each row; for complex tensors the absolute value.
    std::vector<Scalar> values;

    std::int64_t rows() const { return static_cast<std::int64_t>(values.size()); }
};

/// The answer to a Query.
struct Result
{
    /// One; or one per selected channel with Where::perChannel and a rule. A rule without finite values: empty thresholds,
    /// count 0.
    std::vector<Threshold> thresholds;
    /// [batches x channels], batch-major.
    std::vector<std::int64_t> counts;
    std::int64_t count = 0;
    /// As counts; empty unless asked.
    std::vector<Sum> hotSums;
    /// In the order asked: [N, H, W] or, with a depth axis, [N, D, H, W]; N is 1 when one batch item was asked. count int64;
    /// sum, mean, l1, l2 float64; max in the tensor's dtype for floats, float64 for integers and bool. Pixels without a hot
    /// value: 0 for count, sum, l1, l2; NaN for max and mean.
    std::vector<Tensor> heatMaps;
    /// In the order asked: bool [H, W] or [D, H, W], H and W divided by Query::maskStep and rounded up.
    std::vector<Tensor> masks;
    std::optional<Coordinates> rows;
    bool exact = true;
    /// False: some map is a draft, as if thresholds and values were off by 1/250 of the range of most values at most. All else
    /// is exact.
    bool mapsAreExact = true;
    double elapsedMs = 0;
};

/// Counts of finite values in equal bins of [lo, hi]; the last bin is closed.
struct Histogram
{
    double lo = 0;
    double hi = 0;
    std::vector<std::int64_t> bins;
};

/// A block of coordinate rows handed to a sink: indices row-major [rows, rank]; values as in Coordinates (empty unless asked).
struct RowBlock
{
    std::span<const std::int64_t> indices;
    std::span<const Scalar> values;
    /// Number of rows (indices of a 0-d tensor are empty).
    std::int64_t rows = 0;
};

/// A tensor that an engine has taken in under a selection. Thread safe for concurrent const calls.
/// Every call throws Error (condition undefined for the dtype, file changed under us), Cancelled.
class LoadedTensor
{
public:
    virtual ~LoadedTensor() = default;

    /// "cpu" or "cuda": what answers now. Another engine takes over where the one asked for cannot go on.
    virtual std::string engine() const { return "cpu"; }
    virtual DType dtype() const = 0;
    /// The file's shape.
    virtual const Shape& shape() const = 0;
    virtual const Selection& selection() const = 0;
    const Extents& extents() const { return m_extents; }
    /// Null for a sparse tensor.
    virtual const Tensor* dense() const = 0;

    /// Per selected plane, batch-major. Computed once, at load or at the first call.
    virtual const std::vector<Statistics>& planeStatistics(const Job& job = {}) const = 0;
    /// Of all selected elements.
    virtual Statistics statistics(const Job& job = {}) const = 0;

    virtual Result run(const Query& query, const Job& job = {}) const = 0;
    /// Streams all coordinate rows in order. The sink returns false to stop early. Values are delivered only when asked.
    virtual void coordinates(const Where& where, bool values, const std::function<bool(const RowBlock&)>& sink,
                             const Job& job = {}) const = 0;
    /// One plane as stored, [H, W] or [D, H, W] (dense: a view; sparse: made dense, at most 16,384 a side, else Error).
    virtual Tensor plane(PlaneIndex plane) const = 0;
    /// The value at full indices in the tensor's own axes.
    virtual Scalar value(std::span<const std::int64_t> indices) const = 0;

    /// Builds what makes run() fast for a threshold that moves (histograms, codes); without it run() scans. Called once, from
    /// any thread, while others may call run(); safe to stop and call again.
    virtual void buildIndex(const Job& job = {}) const = 0;
    /// What the index leaves out to save memory and what that costs, as a sentence; empty when nothing.
    virtual std::string indexNote() const { return {}; }
    /// The threshold nearest to `value` at which counts of `> T` come by look-up; `value` itself where there is no index.
    virtual double nearestStop(double value) const = 0;
    /// The stop `steps` further up (or down) from `value`.
    virtual double stepStop(double value, std::int64_t steps) const = 0;
    /// Histogram of one plane or (nothing) of all selected elements, over their finite range. Zero bins for no finite value.
    virtual Histogram histogram(std::optional<PlaneIndex> plane, int bins, const Job& job = {}) const = 0;
    /// Whether histogram() answers in some milliseconds: what it looks at is small, or it was asked before.
    virtual bool isHistogramQuick(std::optional<PlaneIndex>) const { return true; }

    /// The channel with the largest value at every pixel. Throws Error: complex values, no channels.
    virtual LabelMap labels(const LabelQuery& query, const Job& job = {}) const = 0;
    /// How often each id occurs. Throws Error unless the dtype is an integer or bool.
    virtual LabelCounts labelCounts(const Job& job = {}) const = 0;
    /// A copy with the hot elements updated. Throws Error: see SelectQuery; a sparse tensor whose implicit zeros would change.
    virtual Selected select(const SelectQuery& query, const Job& job = {}) const = 0;
    /// Norms per plane, batch-major, of the values as float64 (of complex ones, their magnitudes); sums in the order of
    /// lane_sum.h, so that those for p = 0, 1, 2 and infinity have the same bits on every machine. NaN where a plane holds one
    /// (p = 0: NaN is not zero). Throws Error unless p >= 0.
    virtual std::vector<double> norms(const Norm& norm, const Job& job = {}) const = 0;
    /// For each plane this tensor's or the other's, whichever has the larger norm. Throws Error: p, another dtype or extents, a
    /// sparse tensor.
    virtual Fused fuse(const LoadedTensor& other, const Norm& norm, const Job& job = {}) const = 0;

protected:
    Extents m_extents;
};

/// What answers queries.
class Engine
{
public:
    virtual ~Engine() = default;
    /// "cpu" or "cuda": shown, and matched by --device.
    virtual std::string name() const = 0;
    /// Takes a tensor in. Throws Error (selection outside the shape, rank, memory), Cancelled.
    virtual std::unique_ptr<LoadedTensor> load(const Content& content, const Selection& selection,
                                               const Job& job = {}) const = 0;
};

/// The reference engine, always there. `threads` 0: all of the machine's.
std::unique_ptr<Engine> makeCpuEngine(int threads = 0);

/// Name of the vector instruction set that the CPU engine uses on this machine ("AVX3", "AVX2", "SSE4" ...).
std::string vectorTarget();

} // namespace core
