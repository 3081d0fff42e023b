public import Bytes

extension Composition {
  /// The most objects that can be searched for.
  public static let maximumObjectCount = 100

  /// The distance by which a box may extend beyond the image, because of rounded decimal fractions.
  private static let tolerance = 1e-6

  /// Checks that these objects can be searched for.
  ///
  /// - Parameter labels: The names of all classes that the model detects.
  /// - Throws: ``/Weighbridge/WeighbridgeError/Code/mismatch`` when there are no objects, a class
  ///   is unknown, a box has no size, is not finite or is not inside the image, or the aspect ratio
  ///   is not positive; ``/Weighbridge/WeighbridgeError/Code/limitExceeded`` for more than
  ///   ``maximumObjectCount`` objects.
  public func check(labels: [String]) throws(WeighbridgeError) {
    guard !objects.isEmpty else { throw .mismatch("a layout without objects matches nothing") }
    guard objects.count <= Self.maximumObjectCount else {
      throw .limitExceeded(
        "the layout has \(objects.count) objects; at most \(Self.maximumObjectCount) are searched for"
      )
    }
    guard aspectRatio.isFinite, aspectRatio > 0 else {
      throw .mismatch("the aspect ratio is \(aspectRatio); it is a width over a height, above 0")
    }
    try LabelCheck(labels).check(objects.map(\.label))
    for (position, object) in objects.enumerated() {
      if let problem = Self.problem(of: object.box) {
        throw .mismatch("object \(position + 1) of the layout, \(object.label): its box \(problem)")
      }
    }
  }

  /// Describes what is wrong with a box; `nil` when nothing is.
  private static func problem(of box: Box) -> String? {
    let numbers = [box.x, box.y, box.width, box.height]
    guard numbers.allSatisfy(\.isFinite) else { return "has a number that is NaN or infinite" }
    let size = "\(box.width) x \(box.height)"
    guard box.width > 0, box.height > 0 else {
      return "is \(size); width and height must be above 0"
    }
    let edges = [box.x, box.y, 1 - box.x - box.width, 1 - box.y - box.height]
    guard edges.contains(where: { $0 < -tolerance }) else { return nil }
    let inside = box.clipped
    let location = "at \(box.x), \(box.y) of size \(size)"
    guard inside.width > 0, inside.height > 0 else {
      return "\(location) lies outside of the image, which is 0 to 1 along each axis"
    }
    return "\(location) reaches beyond the image, which is 0 to 1 along each axis; the part inside "
      + "is \(inside.x), \(inside.y), \(inside.width), \(inside.height)"
  }
}

/// Finds names that are not classes of a model.
struct LabelCheck {
  private static let shownCount = 100
  private let labels: [String]

  init(_ labels: [String]) { self.labels = labels }

  /// - Throws: ``/Weighbridge/WeighbridgeError/Code/mismatch`` that lists the unknown labels and
  ///   the known ones.
  func check(_ names: [String]) throws(WeighbridgeError) {
    let known = Set(labels)
    var unknown: [String] = []
    for name in names where !known.contains(name) && !unknown.contains(name) {
      unknown.append(name)
    }
    guard !unknown.isEmpty else { return }
    let listed = labels.prefix(Self.shownCount).joined(separator: ", ")
    let omittedCount = labels.count - min(labels.count, Self.shownCount)
    throw .mismatch(
      "the model does not know \(unknown.joined(separator: ", ")); its labels are \(listed)"
        + (omittedCount > 0 ? " and \(omittedCount) others" : ""))
  }
}
