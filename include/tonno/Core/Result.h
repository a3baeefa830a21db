//===- A value or an error ------------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_CORE_RESULT_H
#define TONNO_CORE_RESULT_H

#include <cassert>
#include <optional>
#include <string>
#include <utility>
#include <variant>

namespace tonno {

/// Why something failed, in words for the user.
struct Error {
  std::string message;

  /// Returns the error with the failed action as prefix.
  Error prefixed(const std::string &doing) const {
    return {doing + ": " + message};
  }
};

/// A T, or the error that prevented it. (C++20 has no std::expected.)
template <typename T, typename E = Error> class [[nodiscard]] Result {
public:
  Result(T value) : state(std::in_place_index<0>, std::move(value)) {}
  Result(E error) : state(std::in_place_index<1>, std::move(error)) {}

  bool ok() const { return state.index() == 0; }
  explicit operator bool() const { return ok(); }

  T &operator*() & { return std::get<0>(state); }
  const T &operator*() const & { return std::get<0>(state); }
  T &&operator*() && { return std::get<0>(std::move(state)); }
  T *operator->() { return &std::get<0>(state); }
  const T *operator->() const { return &std::get<0>(state); }

  const E &error() const { return std::get<1>(state); }

private:
  std::variant<T, E> state;
};

template <typename E> class [[nodiscard]] Result<void, E> {
public:
  Result() = default;
  Result(E error) : failure(std::move(error)) {}

  bool ok() const { return !failure; }
  explicit operator bool() const { return ok(); }
  void operator*() const {}
  const E &error() const {
    assert(failure && "asked a success for its error");
    return *failure;
  }

private:
  std::optional<E> failure;
};

} // namespace tonno

/// The value of a Result; returns its error from the function if it has none.
#define TONNO_TRY(...)                                                         \
  ({                                                                           \
    auto tried = (__VA_ARGS__);                                                \
    if (!tried)                                                                \
      return tried.error();                                                    \
    *std::move(tried);                                                         \
  })

#endif // TONNO_CORE_RESULT_H
