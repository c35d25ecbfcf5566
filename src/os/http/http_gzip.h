// Bodies made smaller for those who say that they can read them so, and read where we said so.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"

namespace muster::os {

// Whether an Accept-Encoding header names gzip and does not refuse it (";q=0").
bool accepts_gzip(std::string_view accept_encoding);

// Fast rather than small: lists of objects repeat themselves enough.
std::string gzip(std::string_view bytes);

// Reads what `gzip` and other servers make, piece by piece as it arrives.
class Gunzip {
public:
    Gunzip();
    ~Gunzip();

    // Appends what the bytes decode to. kTooLarge when that would make `out` longer than `out_max`, kBadRequest when
    // they are not gzip; it is of no use afterwards.
    Result<> decode(std::string_view bytes, std::string& out, std::size_t out_max);
    // Whether all that was begun has ended. Nothing at all is complete, too.
    bool complete() const;

private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace muster::os
