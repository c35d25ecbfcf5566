// A file that is read piece by piece, wherever its reader stands; it may grow meanwhile, and it may lose its name.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "base/result.h"
#include "os/descriptor.h"

namespace muster::os {

class ReadFile {
public:
    // kNotFound when there is none.
    static Result<ReadFile> open(const std::string& path);

    // Fills as much of the buffer as there is from that place on; 0 at the end.
    Result<std::size_t> read_at(std::uint64_t offset, std::span<char> buffer) const;
    Result<std::uint64_t> size() const;
    // It has been removed, and lives only as long as we hold it.
    bool nameless() const;

private:
    ReadFile(std::string path, Descriptor file) : path_(std::move(path)), file_(std::move(file)) {}
    std::string path_;
    Descriptor file_;
};

}  // namespace muster::os
