// A text file of lines that others read while it changes, without a lock: the hosts file that pods have mounted, where
// a new file under the old name would not be seen. A reader never meets a half line or a mixture of two:
//   - a line lies within one block of 4096 bytes, which is what stdio reads at a time and no more than a page.
//   - a line at the end of the file is one write: the file's size grows when the bytes of a page are there.
//   - in the place of a line that went, a line is written as a comment, whole, and only then made to count by writing
//     its first byte; a line that goes gets a '#' as its first byte. One byte is never torn.
//   - the place of a line that went is used again after a minute only: who was reading it has finished.
// Lines are not empty and begin with neither '#' nor a space. Writes go to the page cache and are not synced.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/instant.h"
#include "base/result.h"
#include "os/descriptor.h"

namespace muster::os {

class LineFile {
public:
    // Makes the file, readable by everyone, with `header` (text of its own, which stays as it is) at its beginning; or
    // takes over the one that is there, with its lines. `now` is when places free in it count as freed.
    static Result<LineFile> open(const std::string& path, std::string_view header, Instant now);

    bool has(const std::string& line) const { return places_.contains(line); }
    std::vector<std::string> lines() const;
    // In bytes.
    std::uint64_t size() const { return end_; }

    // Adds the lines `come` that are not there, then removes the lines `gone` that are there. After an error some of
    // the changes may be done; then the file must be opened again.
    Result<> change(const std::vector<std::string>& come, const std::vector<std::string>& gone, Instant now);

private:
    struct Place {
        std::uint64_t offset = 0;
        std::uint32_t size = 0;  // with padding and the line's end
    };
    struct Freed {
        std::uint64_t offset = 0;
        Instant at{};
    };

    LineFile(std::string path, Descriptor file) : path_(std::move(path)), file_(std::move(file)) {}
    Result<> begin(std::string_view header);
    Result<> take_over(const std::string& content, Instant now);
    Result<> write_at(std::uint64_t offset, std::string_view bytes);
    Result<> add(const std::vector<std::string>& come, Instant now);
    // Fits the line into a place that was freed long enough ago.
    Result<bool> reuse(const std::string& line, std::uint32_t size, Instant now);

    std::string path_;
    Descriptor file_;
    std::uint64_t end_ = 0;
    std::unordered_map<std::string, Place> places_;
    std::map<std::uint32_t, std::deque<Freed>> free_;  // by size, longest free first
};

}  // namespace muster::os
