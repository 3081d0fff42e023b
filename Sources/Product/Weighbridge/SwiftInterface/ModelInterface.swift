public import Bytes
public import GraphIR
public import Vision

/// The runtime support of generated interfaces: a model with the inputs and outputs that the code
/// was generated for.
///
/// ``Model/swiftInterface(named:bundled:)`` generates classes that use it.
public struct ModelInterface: Sendable {
  /// The model.
  public let model: Model
  private let session: Session
  private let detector: Detector?
  private let scores: ClassScores?

  /// The value of an input.
  public enum Value: Sendable {
    /// An image of any size, which is prepared as the model's description says.
    case image(Image)
    /// Elements, in the input's axes.
    case tensor(Tensor)
  }

  /// Reads a model.
  ///
  /// - Parameters:
  ///   - path: The file.
  ///   - inputs: The types that the inputs must have, by name, in the form of ``TensorType``'s
  ///     description.
  ///   - outputs: The same for the outputs.
  ///   - options: The engine, threads, limits, cancellation.
  /// - Throws: ``WeighbridgeError/Code/mismatch`` when the file contains a model with other inputs
  ///   or outputs; the errors of ``Model/init(contentsOf:options:)-(String,_)`` and
  ///   ``Model/session(_:)``.
  public init(
    contentsOf path: String, inputs: [String: String], outputs: [String: String],
    options: RunOptions = RunOptions()
  ) throws(WeighbridgeError) {
    let model = try Model(contentsOf: path)
    self.model = model
    (session, detector, scores) = try locating({ $0.at(file: path) }) {
      () throws(WeighbridgeError) in
      try Self.check(model.inputs, inputs, what: "inputs")
      try Self.check(model.outputs, outputs, what: "outputs")
      var detection = DetectOptions()
      detection.run = options
      let detector = try? Detector(model, options: detection)
      return (try model.session(options), detector, try? ClassScores(model))
    }
  }

  private static func check(
    _ ports: [ModelPort], _ expected: [String: String], what: String
  ) throws(WeighbridgeError) {
    let found = Dictionary(ports.map { ($0.name, "\($0.type)") }) { first, _ in first }
    guard found != expected else { return }
    let list = { (types: [String: String]) in
      types.sorted { $0.key < $1.key }.map { "\($0.key), \($0.value)" }.joined(separator: "; ")
    }
    throw .mismatch(
      "the \(what) of the model are \(list(found)), but this code was generated for "
        + "\(list(expected)): generate it again")
  }

  /// Computes the model's outputs and interprets them.
  ///
  /// - Parameter values: The value of each input, by name; `nil` for one that is left out, which has a
  ///   ``ModelDescription/Feature/defaultValue``.
  /// - Throws: ``WeighbridgeError/Code/mismatch`` when a value does not fit its input; the errors
  ///   of ``Session/run(_:)-([NamedTensor])``.
  public func prediction(
    _ values: [(name: String, value: Value?)]
  ) throws(WeighbridgeError) -> Prediction {
    var placement = ImagePlacement.filling
    var arrays: [NamedTensor] = []
    for (name, value) in values {
      switch value {
      case nil: continue
      case .tensor(let tensor): arrays.append(NamedTensor(name: name, tensor: tensor))
      case .image(let image):
        let input = try model.tensor(for: image, input: name)
        arrays.append(NamedTensor(name: name, tensor: input.tensor))
        placement = input.placement
      }
    }
    let outputs = try session.run(arrays).outputs
    return Prediction(
      outputs: outputs,
      detections: try detector?.detections(in: outputs, placement: placement) ?? [],
      classes: try scores?.ranking(outputs) ?? [])
  }

  /// The result of running a model.
  public struct Prediction: Sendable {
    fileprivate let outputs: [NamedTensor]
    /// The objects that a detector found, the most confident first.
    public let detections: [Detection]
    /// All classes of a classifier, the most probable first.
    public let classes: [Classification]

    /// Returns the array of an output.
    ///
    /// - Throws: ``WeighbridgeError/Code/mismatch`` when no output has that name.
    public func tensor(_ name: String) throws(WeighbridgeError) -> Tensor {
      guard let output = outputs.first(where: { $0.name == name }) else {
        throw .mismatch("there is no output \(name)")
      }
      return output.tensor
    }

    /// The name of the most probable class; empty when the model is not a classifier.
    public var classLabel: String { classes.first?.name ?? "" }

    /// The probability of each class by name; the largest where several classes share a name.
    public var classLabelProbs: [String: Double] {
      Dictionary(classes.map { ($0.name, $0.probability) }, uniquingKeysWith: max)
    }
  }

  /// Runs work on another thread. Cancelling the task stops the run of the model.
  public func onAnotherThread<Result: Sendable>(
    _ work: @escaping @Sendable () throws -> Result
  ) async throws -> Result {
    let result: Swift.Result<Result, any Error> = try await Weighbridge.onAnotherThread { _ in
      Swift.Result { try work() }
    }
    return try result.get()
  }
}

extension Model {
  /// Returns the array of an input for an image, resized to the input's size or, if that is not
  /// fixed, at the image's own size.
  ///
  /// - Throws: ``WeighbridgeError/Code/mismatch`` when the model has no such input, or does not say
  ///   how an image becomes it.
  fileprivate func tensor(
    for image: Image, input name: String
  ) throws(WeighbridgeError) -> (tensor: Tensor, placement: ImagePlacement) {
    guard let port = inputs.first(where: { $0.name == name }),
      let settings = metadata.inputs.first(where: { $0.name == name })?.image,
      let axes = settings.layout.imageAxes(rank: port.type.rank)
    else { throw .mismatch("the model takes no image as an input \(name)") }
    let (tensor, placement) = try image.tensor(
      for: settings, width: port.type.shape[axes.width].value ?? image.width,
      height: port.type.shape[axes.height].value ?? image.height,
      policy: settings.resize ?? .stretch, resampling: imageResampling)
    let hasBatch = port.type.rank == 4
    return (hasBatch ? tensor : tensor.reshaped(Array(tensor.shape.dropFirst())), placement)
  }
}
