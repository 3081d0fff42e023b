import Bytes
package import GraphIR

/// The padding of the input of a sliding window.
package enum WindowPadding: Hashable, Sendable {
  /// No padding; windows that do not fit are left out.
  case valid
  /// The padding that gives ceil(size / stride) positions (TensorFlow's `SAME`). If its number of
  /// elements is odd, the extra one is added at the end.
  case same
  /// The given numbers of elements at the start and end of each spatial axis.
  case explicit(before: [Int], after: [Int])
}

/// A window that slides over the spatial axes of an image tensor; each list has an entry for each
/// axis.
package struct Window: Hashable, Sendable {
  /// The window's sizes, in elements; each at least 1.
  package let size: [Int]
  /// The distances between positions; each at least 1.
  package let strides: [Int]
  /// The distances between the window's elements; each at least 1.
  package let dilation: [Int]
  /// The padding of the input.
  package let padding: WindowPadding

  /// Creates a window.
  package init(size: [Int], strides: [Int], dilation: [Int], padding: WindowPadding) {
    self.size = size
    self.strides = strides
    self.dilation = dilation
    self.padding = padding
  }

  /// The placement of a window along one axis.
  package struct Placement: Hashable, Sendable {
    /// The number of elements added at the start.
    package let before: Int
    /// The number of elements added at the end; 0 even if positions are left out.
    package let after: Int
    /// The number of positions.
    package let count: Int
  }

  /// Returns the placement of the window along a spatial axis of `dimension` elements.
  ///
  /// - Throws: When the window does not fit at all, or the axis is longer than any memory.
  package func placement(_ axis: Int, dimension: Int) throws(ShapeError) -> Placement {
    // With this and the limits in `schema`, nothing below can overflow.
    guard dimension <= 1 << 48 else {
      throw ShapeError("an axis of \(dimension) elements is too long")
    }
    let effectiveSize = effectiveSize(axis)
    var (before, after) = (0, 0)
    switch padding {
    case .valid: break
    case .same:
      let count = (dimension + strides[axis] - 1) / strides[axis]
      let total = max(0, (count - 1) * strides[axis] + effectiveSize - dimension)
      (before, after) = (total / 2, total - total / 2)
    case .explicit(let leading, let trailing):
      (before, after) = (leading[axis], trailing[axis])
    }
    let padded = dimension + before + after
    guard padded >= effectiveSize else {
      throw ShapeError(
        "a window of \(effectiveSize.counted("element")) does not fit an axis of \(dimension)"
          + (before + after > 0 ? " padded by \(before) and \(after)" : ""))
    }
    return Placement(
      before: before, after: after, count: (padded - effectiveSize) / strides[axis] + 1)
  }

  /// The padding at the start and end of each axis; `nil` if it depends on a dynamic size.
  package func borders(of dimensions: [Dimension]) -> (before: [Int], after: [Int])? {
    switch padding {
    case .valid: return (dimensions.map { _ in 0 }, dimensions.map { _ in 0 })
    case .explicit(let before, let after): return (before, after)
    case .same:
      let placements = dimensions.enumerated().compactMap { axis, dimension in
        // With a stride or window of 1, the padding is the same for every size.
        let isSame = strides[axis] == 1 || effectiveSize(axis) == 1
        let size = dimension.value ?? (isSame ? 1 : nil)
        return size.flatMap { try? placement(axis, dimension: $0) }
      }
      guard placements.count == dimensions.count else { return nil }
      return (placements.map(\.before), placements.map(\.after))
    }
  }

  /// The size of the dilated window along an axis: the number of elements from its first to its
  /// last, inclusive.
  package func effectiveSize(_ axis: Int) -> Int { (size[axis] - 1) * dilation[axis] + 1 }

  /// Whether a window can lie entirely in the padding.
  package var mayLieInPadding: Bool {
    guard case .explicit(let before, let after) = padding else { return false }
    return size.indices.contains { max(before[$0], after[$0]) >= effectiveSize($0) }
  }

  /// Returns the output's spatial sizes for those of an input.
  package func outputDimensions(_ dimensions: [Dimension]) throws(ShapeError) -> [Dimension] {
    guard dimensions.count == size.count else {
      throw ShapeError(
        "the window has \(size.count.counted("axis")), but the input has \(dimensions.count)")
    }
    var result: [Dimension] = []
    for (axis, dimension) in dimensions.enumerated() {
      result.append(
        try dimension.map { (value) throws(ShapeError) in
          try placement(axis, dimension: value).count
        })
    }
    return result
  }
}

extension Window {
  /// The attributes in which a window is stored.
  static let schema = schema(paddings: PaddingMode.allCases)

  /// The values of the `padding` attribute.
  package enum PaddingMode: String, CaseIterable, Sendable { case valid, same, explicit }

  /// The attributes in which a window is stored, with only some kinds of padding.
  static func schema(paddings: [PaddingMode]) -> AttributeSchema<Window> {
    let isExplicit = Presence.when("padding", [.string(PaddingMode.explicit.rawValue)])
    return AttributeSchema(
      { (size, strides, dilation, padding, before, after) in
        Window(
          size: size, strides: strides, dilation: dilation,
          padding: WindowPadding(padding, before: before ?? [], after: after ?? []))
      },
      .integers(
        "window", \.size, "The window's size along each spatial axis.", .atLeast(1), .sizeLimit,
        .minimumCount(1)),
      .integers(
        "strides", \.strides, "The distance from one window to the next.", .atLeast(1), .sizeLimit,
        .countOf("window")),
      .integers(
        "dilation", \.dilation, "The distance from one element of the window to the next.",
        .atLeast(1), .sizeLimit, .countOf("window")),
      .choice("padding", \.padding.mode, "The padding at the borders.", among: paddings) {
        switch $0 {
        case .valid: "nothing"
        case .same: "enough for ceil(size / stride) windows"
        case .explicit: "as given by `padding_before` and `padding_after`"
        }
      },
      .integers(
        "padding_before", \.padding.before, "Elements before each spatial axis.", .atLeast(0),
        .sizeLimit, .countOf("window"), presence: isExplicit),
      .integers(
        "padding_after", \.padding.after, "Elements after each spatial axis.", .atLeast(0),
        .sizeLimit, .countOf("window"), presence: isExplicit)
    ).explained(by: .windows)
  }

  /// Why the settings are invalid, if they are.
  package var problem: String? { Self.schema.problem(of: self) }
}

extension WindowPadding {
  fileprivate init(_ mode: Window.PaddingMode, before: [Int], after: [Int]) {
    switch mode {
    case .valid: self = .valid
    case .same: self = .same
    case .explicit: self = .explicit(before: before, after: after)
    }
  }

  fileprivate var mode: Window.PaddingMode {
    switch self {
    case .valid: .valid
    case .same: .same
    case .explicit: .explicit
    }
  }

  fileprivate var before: [Int]? { if case .explicit(let before, _) = self { before } else { nil } }

  fileprivate var after: [Int]? { if case .explicit(_, let after) = self { after } else { nil } }
}
