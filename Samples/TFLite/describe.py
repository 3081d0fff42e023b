"""Writes described.tflite: one of the recorded networks with TFLite Metadata and a file of labels, as
tflite-support writes them (Python package tflite-support 0.4.4, Python 3.11).

    python describe.py
"""

import pathlib
import tempfile

import flatbuffers
from tflite_support import metadata, metadata_schema_py_generated as schema

HERE = pathlib.Path(__file__).parent
SOURCE = HERE / "2.15" / "int8_inside.tflite"


def file(name, kind):
    result = schema.AssociatedFileT()
    result.name, result.description, result.type = name, "The animals", kind
    return result


def image():
    result = schema.TensorMetadataT()
    result.name, result.description = "image", "A picture"
    result.content = schema.ContentT()
    result.content.contentProperties = schema.ImagePropertiesT()
    result.content.contentProperties.colorSpace = schema.ColorSpaceType.RGB
    result.content.contentPropertiesType = schema.ContentProperties.ImageProperties
    unit = schema.ProcessUnitT()
    unit.optionsType = schema.ProcessUnitOptions.NormalizationOptions
    unit.options = schema.NormalizationOptionsT()
    unit.options.mean, unit.options.std = [127.5], [127.5]
    result.processUnits = [unit]
    return result


def scores():
    result = schema.TensorMetadataT()
    result.name, result.description = "scores", "One for each animal"
    result.content = schema.ContentT()
    result.content.contentProperties = schema.FeaturePropertiesT()
    result.content.contentPropertiesType = schema.ContentProperties.FeatureProperties
    result.associatedFiles = [file("labels.txt", schema.AssociatedFileType.TENSOR_AXIS_LABELS)]
    return result


def described():
    model = schema.ModelMetadataT()
    model.name, model.description, model.version = "Animals", "Tells animals apart", "v1"
    model.author, model.license = "Weighbridge", "Apache-2.0"
    graph = schema.SubGraphMetadataT()
    graph.inputTensorMetadata, graph.outputTensorMetadata = [image()], [scores()]
    model.subgraphMetadata = [graph]
    builder = flatbuffers.Builder(0)
    builder.Finish(
        model.Pack(builder), metadata.MetadataPopulator.METADATA_FILE_IDENTIFIER)
    return builder.Output()


if __name__ == "__main__":
    target = HERE / "described.tflite"
    target.write_bytes(SOURCE.read_bytes())
    with tempfile.TemporaryDirectory() as folder:
        labels = pathlib.Path(folder) / "labels.txt"
        labels.write_text("cat\ndog\nfox\n")
        populator = metadata.MetadataPopulator.with_model_file(str(target))
        populator.load_metadata_buffer(described())
        populator.load_associated_files([str(labels)])
        populator.populate()
