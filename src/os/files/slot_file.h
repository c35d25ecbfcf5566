// A file of fixed size that is there already and is written in place, piece by piece, from any one thread.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"
#include "os/descriptor.h"

namespace muster::os {

class SlotFile {
public:
    // kNotFound when there is no such file.
    static Result<std::unique_ptr<SlotFile>> open(std::string path);

    // Survives the end of the process; the disk has it after `sync`. kIo.
    Result<> write(std::size_t at, std::string_view bytes);
    // Costs nothing when nothing was written since.
    Result<> sync();

private:
    SlotFile(std::string path, Descriptor file) : path_(std::move(path)), file_(std::move(file)) {}

    const std::string path_;
    Descriptor file_;
    bool unsynced_ = false;
};

}  // namespace muster::os
