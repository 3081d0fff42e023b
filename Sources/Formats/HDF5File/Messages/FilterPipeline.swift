import Bytes

/// The filters applied to chunks before they were stored (HDF5 file format specification 3.0,
/// section IV.A.2.l).
struct FilterPipeline: Sendable {
  /// A filter with its parameters. Steps are in the order of writing.
  struct Step: Sendable {
    /// The filter's number and name in the file.
    let number: Int
    let name: [UInt8]
    /// The parameters of the filter, such as the size of an element.
    let parameters: [Int]

    /// The filter; `nil` for one that cannot be decoded.
    var filter: Filter? { Filter(rawValue: number) }
  }

  let steps: [Step]

  /// A pipeline without filters.
  static let none = FilterPipeline()

  private init() { steps = [] }

  /// The largest number of filters in HDF5.
  private static let limit = 32

  init(_ body: Cursor) throws(WeighbridgeError) {
    var body = body
    let version = try body.version(1...2, of: "the filter pipeline")
    let field = body
    let count = Int(try body.byte())
    guard count <= Self.limit else {
      throw field.failure("has \(count) filters; HDF5 has at most \(Self.limit)")
    }
    if version == 1 { try body.skip(6) }
    var steps: [Step] = []
    for _ in 0..<count { steps.append(try Self.step(&body, version)) }
    self.steps = steps
  }

  private static func step(
    _ body: inout Cursor, _ version: UInt8
  ) throws(WeighbridgeError) -> Step {
    let number = try body.count(2)
    let nameLength = version == 1 || number >= 256 ? try body.count(2) : 0
    try body.skip(2)  // flag of an optional filter; the mask tells whether it was skipped
    let count = try body.count(2)
    let name = Array(try body.bytes(nameLength).prefix { $0 != 0 })
    var parameters: [Int] = []
    for _ in 0..<count { parameters.append(try body.count(4)) }
    if version == 1, !count.isMultiple(of: 2) { try body.skip(4) }
    return Step(number: number, name: name, parameters: parameters)
  }

  /// Whether all filters can be decoded.
  var isReadable: Bool { steps.allSatisfy { $0.filter != nil } }

  /// Rejects data that is packed with a filter that cannot be decoded.
  ///
  /// - Parameter mask: The filters that were skipped, one bit each.
  /// - Throws: ``WeighbridgeError/Code/unsupported``.
  func check(mask: UInt32) throws(WeighbridgeError) {
    for (index, step) in steps.enumerated() where (mask >> UInt32(index)) & 1 == 0 {
      guard step.filter == nil else { continue }
      throw .unsupported(Filter.unsupportedReason(step.number, step.name))
    }
  }
}
