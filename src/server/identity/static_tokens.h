// Bearer tokens from a file, as kube-apiserver's --token-auth-file has them: one CSV record per line,
//     token,user,uid,"group1,group2"
// Immutable once read, so several threads may look at once. A token is kept as its SHA-256 only.
#pragma once

#include <array>
#include <map>
#include <string_view>

#include "base/result.h"
#include "server/identity/user.h"

namespace muster::server {

class StaticTokens {
public:
    // kInvalid, naming the line, for anything but three or four columns, an empty token or user, a token that stands
    // there twice, and quotes that do not fit. Lines of nothing are skipped. The error never has a token in it.
    static Result<StaticTokens> parse(std::string_view text);

    // The user of the token, with the groups of the file; null when the token is unknown.
    const User* find(std::string_view token) const;
    std::size_t size() const { return users_.size(); }

private:
    std::map<std::array<unsigned char, 32>, User> users_;
};

}  // namespace muster::server
