import Compaction

/// The examples for calibrating and measuring a compaction.
///
/// If a model takes images, generated ones of several kinds are always among them: rounding that
/// learns from few pictures, and errors measured on pictures like these, would say little about
/// others.
struct CompactionExamples {
  /// For each example, one array for each input.
  let calibration, evaluation: [[Tensor]]
  /// The kind of each evaluation example: 0 for given ones.
  let evaluationKinds: [Int]
  /// A description of the evaluation examples.
  let evaluationSummary: String
  /// Why the measured error may not hold for other inputs; empty if nothing speaks against it.
  let caution: String

  /// - Throws: ``WeighbridgeError/Code/mismatch`` for arrays that do not fit the model, or too few.
  init(_ options: CompactOptions, _ model: Model) throws(WeighbridgeError) {
    let given = try GivenExamples(options.calibration, model)
    let others = try GivenExamples(options.evaluation, model)
    let generator = try InputGenerator(model, options, like: given.examples + others.examples)
    var learned = given.examples
    var measured = others.examples
    if options.evaluation == nil, options.calibration != nil {
      (learned, measured) = try given.split(needsBoth: !generator.drawsImages)
    }
    let isMixed = generator.drawsImages
    let learnedPictures =
      isMixed || learned.isEmpty ? try generator.learned(learned.isEmpty ? 65 : 50) : []
    let measuredPictures =
      isMixed || measured.isEmpty ? try generator.measured(measured.isEmpty ? 40 : 30) : []
    calibration = Self.mixed(learned, learnedPictures)
    evaluation = measured + measuredPictures
    evaluationKinds =
      measured.map { _ in 0 }
      + measuredPictures.indices.map { 1 + $0 % generator.kindCount }
    let words =
      options.evaluation == nil ? given.words(heldOut: measured.count) : others.words(heldOut: nil)
    evaluationSummary = [
      measured.isEmpty ? nil : words,
      measuredPictures.isEmpty ? nil : generator.words(measuredPictures.count),
    ].compactMap { $0 }.joined(separator: ", and ")
    caution =
      (options.calibration == nil ? others : given).caution(
        generator, pictures: learnedPictures)
  }

  /// Two lists in one, in which each is spread evenly.
  private static func mixed(_ first: [[Tensor]], _ second: [[Tensor]]) -> [[Tensor]] {
    let positions = [first, second].flatMap { list in
      list.indices.map { (Double($0) + 0.5) / Double(list.count) }
    }
    let all = first + second
    return positions.indices.sorted { (positions[$0], $0) < (positions[$1], $1) }.map { all[$0] }
  }
}

/// Examples that a user gave, each different one once.
private struct GivenExamples {
  let examples: [[Tensor]]
  private let givenCount: Int
  private let words: String

  init(_ given: CompactOptions.Examples?, _ model: Model) throws(WeighbridgeError) {
    var found: [[Tensor]] = []
    var known: Set<[[UInt8]]> = []
    for arrays in given?.inputs ?? [] {
      let tensors = try model.inputTensors(arrays)
      if known.insert(tensors.map { $0.contiguousBytes() }).inserted { found.append(tensors) }
    }
    (examples, givenCount, words) = (found, given?.inputs.count ?? 0, given?.words ?? "")
  }

  /// A description of all, or of those that are held out.
  func words(heldOut: Int?) -> String {
    let different = examples.count < givenCount ? " (\(examples.count) of which differ)" : ""
    return heldOut.map { "\($0) of \(words)\(different), kept back" } ?? words + different
  }

  /// Examples to learn from, and others to measure on.
  ///
  /// - Parameter needsBoth: Whether no others will be added. Then few are divided evenly.
  /// - Throws: ``WeighbridgeError/Code/mismatch`` if there are too few.
  func split(
    needsBoth: Bool
  ) throws(WeighbridgeError) -> (calibration: [[Tensor]], evaluation: [[Tensor]]) {
    guard needsBoth, examples.count < 16 else { return Compactor.split(examples) }
    let learnedCount = max(Compactor.minimumCalibrationCount, examples.count / 2)
    guard examples.count >= learnedCount + 2 else {
      let different = examples.count < givenCount ? " different" : ""
      throw .mismatch(
        "\(examples.count)\(different) examples are too few to learn from some and to measure on "
          + "others: at least \(Compactor.minimumCalibrationCount + 2) are needed")
    }
    return (Array(examples[..<learnedCount]), Array(examples[learnedCount...]))
  }

  /// Why errors measured with these examples may not hold for others.
  ///
  /// - Parameter pictures: Generated examples.
  func caution(_ generator: InputGenerator, pictures: [[Tensor]]) -> String {
    if givenCount == 0 {
      return generator.drawsNoise
        ? "measured on noise, which says little about other inputs: give examples" : ""
    }
    if examples.count == 1, givenCount > 1 {
      return "these \(words) are all the same; the figure may not hold for others"
    }
    guard let image = generator.onlyImage, examples.count > 1 else { return "" }
    let photos = pictures.indices.filter { $0 % GeneratedImageKind.learned.count == 0 }
    let areAlike = ImageVariety.areAlike(
      examples.map { $0[0] }, generated: photos.map { pictures[$0][0] }, image)
    return areAlike
      ? "these \(words) are as alike as crops of one photo; the figure may not hold for others" : ""
  }
}

/// Generates examples of a model's inputs.
private struct InputGenerator {
  private let graph: Graph
  private let workers: Workers
  private let images: [String: [ImageInput]]
  private let learnedKinds, measuredKinds: [GeneratedImageKind]

  /// Whether all inputs are images, and those of several kinds are to be mixed.
  let drawsImages: Bool
  /// Whether nothing is known about the inputs.
  var drawsNoise: Bool { images.isEmpty }
  /// The number of kinds of examples to measure on, each in each range of numbers.
  var kindCount: Int {
    measuredKinds.count * (images.values.map(\.count).max() ?? 1)
  }
  /// How images become the only input.
  var onlyImage: ImageInput? { drawsImages && images.count == 1 ? images.values.first?.first : nil }

  /// - Parameter examples: Given examples.
  init(
    _ model: Model, _ options: CompactOptions, like examples: [[Tensor]]
  ) throws(WeighbridgeError) {
    graph = model.content.graph
    workers = Workers(count: options.run.threadCount)
    var described: [String: ImageInput] = [:]
    for feature in model.metadata.inputs { described[feature.name] = feature.image }
    // Integers have one range for all data of a layer, which unusual images would widen.
    let all =
      options.activations == nil
      ? try graph.imageInputs(described: described, examples: examples) : nil
    drawsImages = all != nil
    images = all ?? described.mapValues { [$0] }
    learnedKinds = drawsImages ? GeneratedImageKind.learned : [.photo]
    measuredKinds = drawsImages ? GeneratedImageKind.measured : [.photo]
  }

  /// Examples to learn from.
  func learned(_ count: Int) throws(WeighbridgeError) -> [[Tensor]] {
    try graph.generatedExamples(
      count, of: learnedKinds, images: images, seed: 1, workers: workers)
  }

  /// Examples to measure on.
  func measured(_ count: Int) throws(WeighbridgeError) -> [[Tensor]] {
    try graph.generatedExamples(
      count, of: measuredKinds, images: images, seed: 1 << 20, workers: workers)
  }

  /// A description of examples to measure on.
  func words(_ count: Int) -> String {
    if drawsNoise { return "\(count) generated inputs (noise)" }
    return "\(count) generated images" + (drawsImages ? " of \(measuredKinds.count) kinds" : "")
  }
}
