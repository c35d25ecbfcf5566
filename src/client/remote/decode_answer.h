// Objects that a server sent, as typed objects.
#pragma once

#include <string>
#include <string_view>

#include "client/client.h"

namespace muster::client {

// How documents of a server are read.
struct Reading {
    api::Dialect dialect = api::Dialect::kMuster;
    bool with_managers = false;  // who manages fields is kept, without the fields
};

// One object of the kind, or with View::kMetadata only its metadata. Who manages which field is left out: it is half of
// an object and hardly any reader needs it. kCorrupt when it cannot be read.
Result<AnyObject> decode_answer(const api::KindInfo& kind, std::string_view json, Client::View view,
                                const Reading& reading = {});

// A page of a list.
struct Page {
    AnyListing listing;
    std::string next;  // the token of the next page; empty: this is the last
};
Result<Page> decode_page(const api::KindInfo& kind, std::string_view json, Client::View view,
                         const Reading& reading = {});

// A line of a watch. A line of the type ERROR is the error that it says.
struct Frame {
    AnyEvent event;
    bool ends_initial = false;  // a bookmark: everything that was there has been sent
};
Result<Frame> decode_frame(const api::KindInfo& kind, std::string_view line, Client::View view,
                           const Reading& reading = {});

// The metadata of an object of the kind.
const api::meta::ObjectMeta& metadata_of(const api::KindInfo& kind, const void* object);

}  // namespace muster::client
