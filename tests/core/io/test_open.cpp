// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/open.h"
#include "core/io/write.h"
#include "expected_files.h"

#include <QDir>
#include <QTemporaryDir>

#include <sys/stat.h>

using namespace tests;

namespace {

std::string openingError(const std::filesystem::path& path)
{
    try {
        core::io::open(path);
    } catch (const core::Error& error) {
        return error.what();
    }
    return {};
}

std::vector<std::string> namesOf(const core::Document& document)
{
    std::vector<std::string> names;
    for (const auto& entry : document.entries)
        names.push_back(entry.name);
    return names;
}

} // namespace

class TestOpen : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void init()
    {
        m_folder = std::make_unique<QTemporaryDir>();
        QVERIFY(m_folder->isValid());
    }

    /// By content: every fixture opens under a name that says something else.
    void recognisesByContent_data() { addExpectedRows({""}); }
    void recognisesByContent()
    {
        QFETCH(QString, file);
        auto name = file;
        name.replace('.', '_').append(".txt");
        const auto path = m_folder->filePath(name).toStdString();
        std::filesystem::copy_file(filesFolder / file.toStdString(), path);
        const auto document = core::io::open(path);
        const auto& expected = expectedFiles()[file.toStdString()];
        QCOMPARE(document.format, expected["format"].get<std::string>());
        QCOMPARE(document.entries.size(), expected["entries"].size());
    }

    void namesWrongFiles_data()
    {
        QTest::addColumn<QByteArray>("bytes");
        QTest::addColumn<QString>("reason");
        const auto row = [](const char* name, const QByteArray& bytes, const char* reason) {
            QTest::newRow(name) << bytes << reason;
        };
        const QByteArray zeros(600, '\0');
        row("empty", "", "is empty");
        row("git lfs", "version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 12345\n",
            "a Git LFS pointer: fetch the real file with git lfs pull");
        row("html", "\n<!DOCTYPE html>\n<html><body>404</body></html>", "HTML page");
        row("html in capitals", "<HTML><HEAD></HEAD></HTML>", "HTML page");
        row("xml", "<?xml version=\"1.0\"?><a/>", "XML");
        row("json", "{\"a\": [1, 2, 3], \"b\": 4}", "JSON");
        row("text", "1.0, 2.0, 3.0\n4.0, 5.0, 6.0\n", "load it with numpy.loadtxt");
        row("text with names of columns", "x,y,z\n1,2e-3,nan\n", "load it with numpy.loadtxt");
        row("source", "import numpy as np\n\nprint(np.zeros(3))\n", "a text file, no tensor file");
        row("numbers in words", "chapter 1\n2 eggs\n3\n", "a text file, no tensor file");
        row("utf-8 text",
            "Gr\xc3\xbc\xc3\x9f"
            "e\n",
            "a text file");
        row("hdf5", QByteArray("\x89HDF\r\n\x1a\n") + zeros, "HDF5");
        row("gzip", QByteArray("\x1f\x8b\x08\0", 4) + zeros, "gunzip");
        row("bzip2", QByteArray("BZh91AY&SY") + zeros, "bunzip2");
        row("xz", QByteArray("\xfd\x37zXZ\0", 6) + zeros, "unxz");
        row("tar", zeros.first(257) + "ustar" + zeros, "tar xf");
        row("onnx",
            QByteArray("\x08\x08\x12\x07pytorch\x1a\x05"
                       "2.1.0",
                       18) +
                zeros,
            "ONNX");
        row("gguf", QByteArray("GGUF\3\0\0\0", 8) + zeros, "GGUF");
        row("matlab", QByteArray("MATLAB 5.0 MAT-file, Platform: GLNXA64") + zeros, "loadmat");
        row("matrix market", "%%MatrixMarket matrix coordinate real general\n", "Matrix Market");
        row("nifti", zeros.first(344) + QByteArray("n+1\0", 4) + zeros, "NIfTI");
        row("tiff", QByteArray("II*\0\x08\0\0\0", 8) + zeros, "TIFF");
        row("gif", QByteArray("GIF89a") + zeros, "GIF");
        row("webp", QByteArray("RIFF\x10\0\0\0WEBPVP8 ", 16) + zeros, "WebP");
        row("pdf", "%PDF-1.7\n", "PDF");
        row("elf",
            QByteArray("\x7f"
                       "ELF\2\1\1") +
                zeros,
            "a program");
        row("pickle", QByteArray("\x80\4\x95\x0b\0\0\0\0\0\0\0]\x94(K\1K\2e.", 21) + zeros, "execute code");
        row("zip of text", zipOfText(), "zip archive without tensors");
        row("zeros", zeros, "nothing but zeros");
        row("noise", QByteArray::fromHex("f1e2d3c4b5a69788796a5b4c3d2e1f00f1e2d3c4b5a69788796a5b4c3d2e1f00f1"),
            "no known format (it begins with f1 e2 d3 c4 b5 a6 97 88)");
        row("a few bytes", QByteArray::fromHex("f1e2d3"), "only 3 bytes");
        row("begin of npy", "\x93NUM", "cut off after 4 bytes");
        row("begin of png", "\x89PNG", "cut off after 4 bytes");
        row("begin of zip", "PK", "cut off after 2 bytes");
        row("begin of legacy torch", QByteArray::fromHex("80028a0a6cfc9c"), "cut off");
    }
    void namesWrongFiles()
    {
        QFETCH(QByteArray, bytes);
        QFETCH(QString, reason);
        const auto path = make("wrong.pt", bytes);
        const auto message = QString::fromStdString(openingError(path));
        QVERIFY2(message.startsWith(QString::fromStdString(path)) && message.contains(reason), qPrintable(message));
        QVERIFY2(!message.contains('\n'), qPrintable(message));
    }

    void namesUnreadableFiles()
    {
        QVERIFY(QFile::link("nowhere", m_folder->filePath("dangling.pt")));
        for (const char* name : {"absent.pt", "dangling.pt"}) {
            const auto path = m_folder->filePath(name);
            const auto message = QString::fromStdString(openingError(path.toStdString()));
            QVERIFY2(message.startsWith(path) && message.contains("check the name"), qPrintable(message));
        }
        const auto pipe = m_folder->filePath("pipe.npy");
        QCOMPARE(::mkfifo(pipe.toStdString().c_str(), 0600), 0);
        const auto message = QString::fromStdString(openingError(pipe.toStdString()));
        QVERIFY2(message.startsWith(pipe) && message.contains("regular file"), qPrintable(message));
    }

    void opensADirectoryAsOneDocument()
    {
        copy("npy_f4.npy", "b.npy");
        copy("npz_positional.npz", "a.npz");
        copy("png_rgb8.png", "c.png");
        copy("npy_f4.npy", ".hidden.npy");
        make("notes.txt", "text");
        make("z_empty.bin", "");
        QVERIFY(QDir(m_folder->path()).mkdir("sub"));
        copy("npy_f4.npy", "sub/d.npy");
        const auto document = core::io::open(m_folder->path().toStdString());
        QCOMPARE(document.format, std::string("directory"));
        QCOMPARE(namesOf(document), (std::vector<std::string>{"a.npz:arr_0", "a.npz:arr_1", "b.npy", "c.png"}));
        QCOMPARE(document.warnings.size(), std::size_t(2));
        QVERIFY(document.warnings[0].find("notes.txt") != std::string::npos);
        QVERIFY(document.warnings[1].find("z_empty.bin") != std::string::npos);
        QCOMPARE(document.entries[0].path, (std::vector<std::string>{"a.npz", "arr_0"}));
        QCOMPARE(document.entries[2].path, std::vector<std::string>{"b.npy"});
        QVERIFY(document.entries[3].isImage);
        for (const auto& [name, file] :
             {std::pair{"a.npz:arr_0", "npz_positional.npz"}, {"b.npy", "npy_f4.npy"}, {"c.png", "png_rgb8.png"}}) {
            const auto* entry = document.find(name);
            const auto tensor = std::get<core::Tensor>(entry->load({}));
            QCOMPARE(bytesOf(tensor), bytesOfHex(expectedFiles()[file]["entries"][0]["values"]));
            if (entry->verify)
                QVERIFY(!entry->verify({}));
        }
        QCOMPARE(document.find("b.npy:b"), document.find("b.npy"));
        QVERIFY(!document.find("b"));
        QVERIFY(!document.find(""));
    }

    void noticesFilesChangedInADirectory()
    {
        copy("npy_f4.npy", "a.npy");
        const auto document = core::io::open(m_folder->path().toStdString());
        copy("npy_f8.npy", "a.npy");
        try {
            document.entries.at(0).load({});
            QFAIL("loaded");
        } catch (const core::Error& error) {
            QVERIFY2(std::string_view(error.what()).find("a.npy: was changed") != std::string_view::npos, error.what());
        }
    }

    void opensManyFilesOfADirectory()
    {
        for (int i = 0; i < 1500; ++i) // more than a process may have open by default
            copy("npy_0d.npy", QString("f%1.npy").arg(i, 4, 10, QChar('0')));
        const auto document = core::io::open(m_folder->path().toStdString());
        QCOMPARE(document.entries.size(), std::size_t(1500));
        QVERIFY(document.warnings.empty());
        QCOMPARE(std::get<core::Tensor>(document.entries[1234].load({})).elements(), std::int64_t(1));
    }

    void namesUselessDirectories()
    {
        const auto path = m_folder->path().toStdString();
        QVERIFY(openingError(path).find("without files") != std::string::npos);
        make("notes.txt", "text");
        const auto message = openingError(path);
        QVERIFY2(message.find("without a file that can be read") != std::string::npos &&
                     message.find("notes.txt") != std::string::npos,
                 message.c_str());
    }

    void stops()
    {
        copy("npy_f4.npy", "a.npy");
        std::stop_source source;
        source.request_stop();
        QVERIFY_EXCEPTION_THROWN(core::io::open(m_folder->path().toStdString(), {}, {source.get_token(), {}}), core::Cancelled);
        QVERIFY_EXCEPTION_THROWN(core::io::open(m_folder->filePath("a.npy").toStdString(), {}, {source.get_token(), {}}),
                                 core::Cancelled);
    }

    /// Cut off after opening: loading says so instead of showing zeros.
    void noticesFilesCutOffWhileOpen_data()
    {
        QTest::addColumn<QString>("file");
        for (const char* file :
             {"npy_f4.npy", "npz_compressed.npz", "st_dtypes.safetensors", "png_pillow.png", "jpeg_rgb.jpg", "scipy_csr.npz"})
            QTest::newRow(file) << file;
    }
    void noticesFilesCutOffWhileOpen()
    {
        QFETCH(QString, file);
        copy(file, file);
        const auto path = m_folder->filePath(file).toStdString();
        const auto document = core::io::open(path);
        std::filesystem::resize_file(path, 20);
        for (const auto& entry : document.entries) {
            if (!entry.load)
                continue;
            try {
                entry.load({});
                QFAIL("loaded");
            } catch (const core::Error& error) {
                QVERIFY2(std::string_view(error.what()).find("became shorter") != std::string_view::npos, error.what());
            }
        }
    }

private:
    std::string make(const QString& name, const QByteArray& bytes)
    {
        const auto path = m_folder->filePath(name);
        QFile file(path);
        if (!file.open(QIODevice::WriteOnly) || file.write(bytes) != bytes.size())
            qFatal("cannot write %s", qPrintable(path));
        return path.toStdString();
    }
    void copy(const QString& fixture, const QString& name)
    {
        std::filesystem::copy_file(filesFolder / fixture.toStdString(), m_folder->filePath(name).toStdString(),
                                   std::filesystem::copy_options::overwrite_existing);
    }
    /// An npz whose member is called something else.
    static QByteArray zipOfText()
    {
        const auto bytes = readBytes((filesFolder / "npz_mask.npz").string());
        return QByteArray(reinterpret_cast<const char*>(bytes.data()), qsizetype(bytes.size())).replace("mask.npy", "mask.txt");
    }

    std::unique_ptr<QTemporaryDir> m_folder;
};

QTEST_GUILESS_MAIN(TestOpen)
#include "test_open.moc"
