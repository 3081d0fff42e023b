public import Bytes
import GraphIR
import LayerCatalog
public import Verifier
import WBMConversion

extension VerifyOptions {
  /// The former form of ``against`` and ``againstOptions``.
  @available(*, deprecated, message: "use against and againstOptions")
  public var source: (path: String, options: ReadOptions)? {
    get { against.map { (path: $0, options: againstOptions) } }
    set {
      against = newValue?.path
      againstOptions = newValue?.options ?? ReadOptions()
    }
  }
}

extension VerifyOptions {
  /// The reference engine, with the other options of ``run``.
  fileprivate var referenceRuntime: any Runtime {
    var options = run
    options.engine = .reference
    return options.runtime()
  }
}

extension Model {
  /// Verifies the model: container, shapes, weights, reference outputs, the agreement of the
  /// engines, and the original file if given.
  ///
  /// Faults in the model are failed results in the report, not errors.
  ///
  /// - Parameter options: What to verify, and how strictly.
  /// - Returns: The results of all checks, each with its reason.
  /// - Throws: ``WeighbridgeError/Code/mismatch`` when given arrays do not fit the model; the
  ///   errors of ``init(contentsOf:options:)-(String,_)`` for the original file;
  ///   ``WeighbridgeError/Code/cancelled``.
  public func verify(
    _ options: VerifyOptions = VerifyOptions()
  ) throws(WeighbridgeError) -> VerificationReport {
    try verify(options, comparesEngines: true)
  }

  /// Verifies the model as ``verify(_:)`` does.
  ///
  /// - Parameter comparesEngines: Whether the agreement of the engines is checked. Otherwise the reference
  ///   engine runs only where an output differs from its reference by more than the tolerance.
  package func verify(
    _ options: VerifyOptions, comparesEngines: Bool
  ) throws(WeighbridgeError) -> VerificationReport {
    var checks: [any VerificationCheck] = [ContainerCheck(), ShapesCheck(), WeightsCheck()]
    if let path = options.against {
      let original = try original(path, options.againstOptions)
      checks.append(SourceCheck(source: original))
      if let examples = options.evaluationExamples {
        checks.append(
          BoundCheck(model: self, original: original, examples: examples, options: options.run))
      }
    } else if options.evaluationExamples != nil {
      throw .mismatch("measuring the error anew needs the original: give it (\(APIName.against))")
    }
    var given: [ReferenceSet]?
    if let arrays = options.references {
      given = [try references(inputs: arrays.inputs, outputs: arrays.outputs, author: "")]
    }
    let comparesLayers =
      options.layers && (given ?? content.references).contains { !$0.layers.isEmpty }
    checks.append(
      ReferencesCheck(
        runtime: options.run.runtime(observesAllNodes: comparesLayers),
        referenceRuntime: options.referenceRuntime, references: given, tolerance: options.tolerance,
        checksLayers: options.layers))
    if comparesEngines {
      checks.append(enginesCheck(options, inputs: given?.first?.inputs.map(\.tensor)))
    }
    return try Verifier(checks).verify(subject)
  }

  /// Imports the source anew, and folds its batch normalizations if a compaction has folded the
  /// model's, which is the only way in which it changes nodes.
  private func original(
    _ path: String, _ options: ReadOptions
  ) throws(WeighbridgeError) -> ModelContent {
    var original = try Model(contentsOf: path, options: options).content
    if content.compaction != nil, original.graph.nodes.count != content.graph.nodes.count {
      original.graph = try BatchNormalizationFolding(original.graph).graph
    }
    return original
  }

  private func enginesCheck(_ options: VerifyOptions, inputs: [Tensor]?) -> EnginesCheck {
    var engine = options.run
    engine.engine = .cpu
    engine.observesIntegers = true
    return EnginesCheck(
      engine: engine.runtime(), reference: options.referenceRuntime, inputs: inputs,
      tolerances: { ($0 as? any CatalogOperator)?.tolerance },
      operationCount: { $0.operationCount($1) })
  }

  private var subject: VerificationSubject {
    guard let file = (origin.source as? WBMModelSource)?.model, !isPart else {
      return VerificationSubject(content: content)
    }
    return VerificationSubject(content: content, storedTypes: file.storedTypes) {
      () throws(WeighbridgeError) in try file.integrityProblems()
    }
  }
}
