import ArgumentParser
import ImageSearch
import Vision

/// `LABEL:x,y,width,height`; the label may contain a colon.
struct ObjectArgument: ExpressibleByArgument {
  let object: Composition.Object

  init?(argument: String) {
    guard let colon = argument.lastIndex(of: ":"), colon != argument.startIndex else { return nil }
    let numbers = argument[argument.index(after: colon)...]
      .split(separator: ",", omittingEmptySubsequences: false).map { Double($0) }
    guard numbers.count == 4, case let found = numbers.compactMap({ $0 }), found.count == 4 else {
      return nil
    }
    object = .init(
      label: String(argument[..<colon]),
      box: Box(x: found[0], y: found[1], width: found[2], height: found[3]))
  }
}

/// Names separated by commas.
struct NamesArgument: ExpressibleByArgument {
  let names: [String]

  init?(argument: String) {
    names = argument.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
    guard !names.contains("") else { return nil }
  }
}

/// The options for the wanted layout.
struct LayoutOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      """
      The wanted objects: a JSON list of {"label", "x", "y", "width", "height"} in the unit square \
      from the upper left corner.
      """, valueName: "file.json"))
  var layout: String?

  @Option(
    help: ArgumentHelp(
      "A wanted object, in the same numbers. May be given several times.",
      valueName: "label:x,y,width,height"))
  var object: [ObjectArgument] = []

  @Option(
    help: ArgumentHelp(
      "An image whose own detections are the wanted objects.", valueName: "image"))
  var like: String?

  @Option(
    help: ArgumentHelp(
      """
      The width over the height of the image that --layout or --object describe, also 4/3; 1 \
      unless given.
      """, valueName: "x"))
  var aspect: FractionArgument?

  func validate() throws {
    let ways = [layout != nil, !object.isEmpty, like != nil].filter { $0 }.count
    guard ways == 1 else {
      throw ValidationError("say what is wanted by one of --layout, --object and --like")
    }
    guard aspect == nil || like == nil else {
      throw ValidationError("--aspect is for --layout and --object; an image has its own")
    }
    if let aspect, !(aspect.value > 0) { throw ValidationError("--aspect takes a number above 0") }
  }

  /// Returns the wanted objects.
  func composition(_ source: IndexSource) throws(WeighbridgeError) -> Composition {
    let ratio = aspect?.value ?? 1
    if let layout { return try Composition(layoutFile: layout, aspectRatio: ratio) }
    guard let like else {
      return Composition(objects: object.map(\.object), aspectRatio: ratio)
    }
    return try source.composition(like: like)
  }
}
