// SPDX-License-Identifier: GPL-3.0-or-later
#include "expected_files.h"

#include <algorithm>

using namespace tests;

/// Thousands of seeded mutations of every kind of file (ACTISCOPE_MUTATIONS says how many for each reader).
class TestMutationsFiles : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void npy() { runMutations(core::io::readNpy, seeds({"npy_", "bad_npy_"})); }
    void npz() { runMutations(core::io::readNpz, seeds({"npz_", "scipy_"})); }
    void safetensors() { runMutations(core::io::readSafetensors, seeds({"st_"})); }
    void png() { runMutations(core::io::readImage, seeds({"png_", "palette_"})); }
    void jpeg() { runMutations(core::io::readImage, seeds({"jpeg_"})); }
    void bmp() { runMutations(core::io::readImage, seeds({"bmp_", "bad_rle"})); }

private:
    static std::vector<std::string> seeds(std::initializer_list<std::string_view> prefixes)
    {
        std::vector<std::string> paths;
        for (const auto& item : std::filesystem::directory_iterator(filesFolder))
            for (const auto prefix : prefixes)
                if (item.path().filename().string().starts_with(prefix))
                    paths.push_back(item.path().string());
        std::sort(paths.begin(), paths.end());
        return paths;
    }
};

QTEST_GUILESS_MAIN(TestMutationsFiles)
#include "test_mutations_files.moc"
