// A file of records that are appended and, when asked, on disk before the call returns. Unlike os/files/append_file.h
// nothing is written later or dropped: what it holds is relied upon.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"
#include "os/descriptor.h"

namespace muster::os {

class RecordFile {
public:
    // Makes the file, readable by us alone or by everyone, if need be.
    static Result<RecordFile> open(const std::string& path, bool only_us = true);

    // All or an error; after an error the file may hold a part.
    Result<> append(std::string_view text);
    // All or nothing, as far as the file system lets a part be taken away again.
    Result<> append_whole(std::string_view text);
    // Drops what comes after its first `size` bytes.
    Result<> cut(std::uint64_t size);
    Result<> sync();

private:
    // `written` grows by what the file has of the text.
    Result<> append(std::string_view text, std::size_t& written);
    RecordFile(std::string path, Descriptor file) : path_(std::move(path)), file_(std::move(file)) {}
    std::string path_;
    Descriptor file_;
};

}  // namespace muster::os
