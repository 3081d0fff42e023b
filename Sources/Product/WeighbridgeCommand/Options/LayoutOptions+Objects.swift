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

/// The wanted objects that are given one by one.
struct ObjectOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "A wanted object, in the same numbers. May be given several times.",
      valueName: "label:x,y,width,height"))
  var object: [ObjectArgument] = []
}

extension LayoutOptions {
  /// Throws unless the objects are given in one way.
  func check(_ objects: ObjectOptions) throws {
    let ways = [layout != nil, !objects.object.isEmpty, like != nil].filter { $0 }.count
    guard ways == 1 else {
      throw ValidationError("say what is wanted by one of --layout, --object and --like")
    }
    guard aspect == nil || like == nil else {
      throw ValidationError("--aspect is for --layout and --object; an image has its own")
    }
  }

  /// Returns the wanted objects.
  func composition(
    _ objects: ObjectOptions, _ source: IndexSource
  ) throws(WeighbridgeError) -> Composition {
    let ratio = aspect?.value ?? 1
    if let layout { return try Composition(layoutFile: layout, aspectRatio: ratio) }
    guard let like else {
      return Composition(objects: objects.object.map(\.object), aspectRatio: ratio)
    }
    return try source.composition(like: like)
  }
}
