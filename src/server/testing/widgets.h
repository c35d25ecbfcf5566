// A kind that exists only in tests: Widgets of the group example.dev, which have namespaces and a status, and Racks,
// which have neither.
#pragma once

#include <memory>
#include <string>

#include "server/kind_object/kind_object.h"

namespace muster::server {

inline const api::DefinedKind kWidgetKind{.group = "example.dev",
                                          .version = "v1",
                                          .kind = "Widget",
                                          .plural = "widgets",
                                          .short_names = "wd",
                                          .categories = "all",
                                          .has_status = true};
inline const api::DefinedKind kRackKind{
    .group = "example.dev", .version = "v1", .kind = "Rack", .plural = "racks", .namespaced = false};

inline constexpr const char* kWidgets = "/apis/example.dev/v1/namespaces/ns/widgets";
inline constexpr const char* kRacks = "/apis/example.dev/v1/racks";

inline KindRegistry::Ptr with_widgets() { return KindRegistry::with({kWidgetKind, kRackKind}).value(); }

inline std::string widget_json(const std::string& name, const std::string& rest = R"("spec":{"size":1})",
                               const std::string& metadata = "") {
    return R"({"apiVersion":"example.dev/v1","kind":"Widget","metadata":{"name":")" + name + "\"" + metadata + "}," +
           rest + "}";
}

}  // namespace muster::server
