// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

/// Code that runs on a device and, for the tests, on the CPU is written once, in C++17 headers without includes of core: nvcc
/// compiles it into kernels, g++ into loops over blocks and threads. A kernel's body is a static function
///   template <class Block> void run(Block& block, Shared& shared, const Parameters& parameters)
/// of which a block of `blockThreads` threads runs one call. What it may use of a block:
///   block.index()          number of the block in the grid
///   PerThread<X>           Block::PerThread<X> is a variable that every thread has for itself: variable[thread]
///   block.phase(work)      work(thread) for every thread; ends with a barrier of the whole block
///   block.each(work)       the same without a barrier
///   block.vote(test, use)  test(thread) for every thread; then use(thread, bits): bit i is the answer of thread i of the same
///                          warp of 32. No barrier
///   block.sum(get, use)    get(thread) for every thread; then use(thread, n): the sum of all of the same warp. No barrier
///   block.add(to, n)       adds atomically;  block.lower(to, n): to = min(to, n) atomically
/// Shared memory may be read by a thread that did not write it only after a barrier. Inside a phase, an each, a vote or
/// a sum, threads run in any order and must not wait for each other; the tests run them in several orders.
#ifdef __CUDACC__
#define ACTISCOPE_BOTH __device__
/// Before a loop of known length whose counter is an index of a thread's array, which only then lies in registers.
#define ACTISCOPE_UNROLL _Pragma("unroll")
/// Before a loop whose body is long and seldom runs often: code that is compiled once.
#define ACTISCOPE_KEEP_LOOP _Pragma("unroll 1")
#else
#define ACTISCOPE_BOTH
#define ACTISCOPE_UNROLL
#define ACTISCOPE_KEEP_LOOP
#endif

namespace gpu {

inline constexpr int blockThreads = 256;
inline constexpr int warpThreads = 32;
inline constexpr int blockWarps = blockThreads / warpThreads;

} // namespace gpu
